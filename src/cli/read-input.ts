import { existsSync, readFileSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isatty } from "node:tty";
import type { UseCases } from "../ask/use-cases.js";
import { RecommenderError } from "../errors.js";
import { contextOf } from "../evaluate/notebook-context.js";
import { createUniqueNames, readNotebooks as readCorpus } from "../notebook/corpus/open-paths.js";
import { normalizeSource } from "../notebook/extract.js";
import { readNotebookFile } from "../notebook/formats.js";
import type { NamedNotebook, NotebookCell } from "../notebook/notebook.js";
import type { Output } from "./output.js";

/** The text of a file, or of standard input for `-`. */
export function readText(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : (cause as Error).message;
    throw new RecommenderError("NOT_FOUND", `${path === "-" ? "Standard input" : path} cannot be read: ${reason}.`, {
      cause,
    });
  }
}

/** A cell with the rest of its notebook. */
export interface Question {
  readonly code: string;
  readonly before: readonly string[];
  /** The code cells below, nearest first. */
  readonly after: readonly string[];
  readonly markdown: string;
}

const STDIN_HINT =
  "Type or paste the cell, then press Ctrl-D on an empty line (Ctrl-Z and Enter on Windows). Or give a FILE, or NOTEBOOK.ipynb --cell 3.";

/** The code of a file, or of standard input. On a terminal, a hint for typing the code is printed first. */
export function readTypedCode(file: string | undefined, note: (text: string) => void): Question {
  // `process.stdin` is avoided, because it makes the descriptor non-blocking.
  if ((file === undefined || file === "-") && isatty(0)) note(STDIN_HINT);
  return { code: readText(file ?? "-"), before: [], after: [], markdown: "" };
}

/**
 * A cell of a notebook with the code cells and the Markdown above it. `cell` counts all cells from 0; `next`, or the number
 * after the last one, is a new cell at the end. At most `max` code cells above are read.
 */
export function readNotebookCell(file: string, cell: number | "next", max?: number): Question {
  const parsed = readNotebookFile(file);
  if ("rejected" in parsed) throw new RecommenderError("NOT_A_NOTEBOOK", `${file}: ${parsed.rejected.reason}`);
  const { cells } = parsed.notebook;
  const at = cell === "next" ? cells.length : cells.findIndex(({ index }) => index === cell);
  const current = cells[at];
  const end = (cells.at(-1)?.index ?? -1) + 1;
  if (current === undefined && cell !== "next" && cell !== end) throw missingCell(file, cell, cells, end);
  if (current !== undefined && current.type !== "code") throw missingCell(file, cell, cells, end);
  const above = current === undefined ? cells : cells.slice(0, at);
  const below = current === undefined ? [] : cells.slice(at + 1).filter(({ type }) => type === "code");
  return {
    code: current === undefined ? "" : normalizeSource(current.source),
    after: below.map(({ source }) => normalizeSource(source)),
    ...contextOf(above, max),
  };
}

function missingCell(
  file: string,
  cell: number | "next",
  cells: readonly NotebookCell[],
  end: number,
): RecommenderError {
  const indexes = cells.flatMap(({ index, type }) => (type === "code" ? index : []));
  const known =
    indexes.length === 0 ? "it has none" : `its code cells are ${indexes.join(", ")} (Markdown cells are counted, too)`;
  return new RecommenderError(
    "NOT_FOUND",
    `${file} has no code cell at ${cell}; ${known}. Use ${end} or "next" for a new cell at the end.`,
  );
}

/** Reads all notebooks at and below the paths; other files are counted in a note. */
export async function readNotebooks(paths: readonly string[], output: Output): Promise<NamedNotebook[]> {
  const nameOf = createUniqueNames();
  const notebooks: NamedNotebook[] = [];
  let others = 0;
  let links = "";
  const onLinks = (message: string) => {
    links = message;
  };
  for await (const entry of readCorpus(paths, onLinks)) {
    const { parsed, location } = entry;
    if ("rejected" in parsed) others += 1;
    else notebooks.push({ name: nameOf(entry), notebook: parsed.notebook, ...(location && { facts: { location } }) });
  }
  if (notebooks.length === 0)
    throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}. ${links}`.trimEnd());
  if (links !== "") output.note(links);
  if (others > 0) output.note(`${others} files are not Python notebooks and were skipped.`);
  return notebooks;
}

/** The stored names of sources. A folder or archive may be given by any path to it. NOT_FOUND for an unknown source. */
export async function resolveSources(
  ask: Pick<UseCases, "listSources">,
  given: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (given === undefined) return undefined;
  const known = new Set((await ask.listSources()).sources.flatMap(({ source, id }) => [source, id]));
  return given.map((name) => {
    if (known.has(name)) return name;
    // The folder may have been deleted.
    const path = existsSync(name) ? realpathSync(name) : resolve(name);
    if (known.has(path)) return path;
    throw new RecommenderError("NOT_FOUND", `There is no source ${name}; celrec sources lists them.`);
  });
}
