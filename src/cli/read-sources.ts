import { statSync } from "node:fs";
import { RecommenderError } from "../errors.js";
import { createUniqueNames, type ReadEntry, readNotebooks } from "../notebook/corpus/read-notebooks.js";
import { extractCells } from "../notebook/extract.js";
import { asRecord } from "../notebook/json.js";
import { parseJsonLines } from "../notebook/json-lines.js";
import { isNotebookScript } from "../notebook/parse-script.js";
import { readText } from "./read-code.js";

/** A cell to work on; `index` is its place in the notebook, its line in a .jsonl, or 0 for plain code. */
export interface Source {
  readonly index: number;
  readonly code: string;
}

/** The cells of one file. Those of a notebook follow each other; others have nothing to do with one another. */
export interface SourceFile {
  /** How people are told about it. */
  readonly name: string;
  readonly path: string;
  readonly isNotebook: boolean;
  readonly cells: readonly Source[];
}

export interface RejectedSource {
  readonly name: string;
  readonly reason: string;
}

/** What was read, and the notebooks that are none. */
export interface Sources {
  readonly files: readonly SourceFile[];
  readonly rejected: readonly RejectedSource[];
}

/** The cells of notebooks, folders, .jsonl files and plain code; standard input where no path is given. */
export async function readSources(paths: readonly string[]): Promise<Sources> {
  const nameOf = createUniqueNames();
  const seen = new Set<string>();
  const files: SourceFile[] = [];
  const rejected: RejectedSource[] = [];
  const add = (part: SourceFile | RejectedSource) => {
    if ("reason" in part) rejected.push(part);
    else files.push(part);
  };
  for (const path of paths.length === 0 ? ["-"] : paths) {
    if (!isNotebookPath(path)) {
      add(await readOther(path));
      continue;
    }
    for await (const entry of readNotebooks([path])) {
      // A file that is named and lies in a folder that is named, too, is read once.
      if (entry.location !== undefined && seen.has(entry.location)) continue;
      if (entry.location !== undefined) seen.add(entry.location);
      add(toCells(entry, nameOf(entry)));
    }
  }
  return { files, rejected };
}

/** Whether a path is one that `readSources` looks for notebooks at. */
export function isNotebookPath(path: string): boolean {
  return path !== "-" && (path.endsWith(".ipynb") || isFolder(path));
}

async function readOther(path: string): Promise<SourceFile | RejectedSource> {
  if (path.endsWith(".jsonl")) return { name: path, path, isNotebook: false, cells: readLines(path) };
  const code = readText(path);
  if (path !== "-" && isNotebookScript(code))
    for await (const entry of readNotebooks([path])) return toCells(entry, path);
  return { name: path, path, isNotebook: false, cells: [{ index: 0, code }] };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function toCells({ parsed, location }: ReadEntry, name: string): SourceFile | RejectedSource {
  if ("rejected" in parsed) return { name, reason: parsed.rejected.reason };
  const cells = extractCells(parsed.notebook).map(({ cellIndex, code }) => ({ index: cellIndex, code }));
  return { name, path: location ?? name, isNotebook: true, cells };
}

function readLines(path: string): Source[] {
  return Array.from(parseJsonLines(readText(path)), (each) => {
    const where = `${path}, line ${each.line}`;
    if ("fault" in each) throw new RecommenderError("INPUT_INVALID", `${where} is not JSON: ${each.fault}`);
    const code = asRecord(each.value)?.source;
    if (typeof code === "string") return { index: each.line - 1, code };
    throw new RecommenderError("INPUT_INVALID", `${where} has no "source" of type string.`);
  });
}
