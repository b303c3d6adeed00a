import { dirname } from "node:path";
import type { NamedNotebook } from "../../../ingest/ingest.js";
import { normalizeSource } from "../../../notebook/extract.js";
import type { NotebookCell } from "../../../notebook/notebook.js";
import { strip } from "../../../python/strip.js";
import { readDataBeside, readDataFolder } from "../../execute/data-files.js";
import type { FileContent, Kernels, RunCell } from "../../execute/kernels.js";
import { splitAbove, spreadCells } from "../../notebook-context.js";
import { createExecute } from "./execute.js";
import type { Problem } from "./problems.js";
import { says } from "./score.js";

export interface BuildOptions {
  /** A folder of data for all notebooks; without it each finds the small data files beside it. */
  readonly files?: string | undefined;
  /** For one notebook. */
  readonly seconds: number;
  /** News for people. */
  note(text: string): void;
}

/** Cells above that are shown; those further up are run as the setup. */
const MOST_CONTEXT = 3;

/**
 * Problems out of notebooks, at most two of each: cells with Markdown directly above that print something. The notebooks are
 * executed, and a cell whose output is another one when it is run again is no problem.
 */
export async function buildProblems(
  notebooks: readonly NamedNotebook[],
  kernels: Pick<Kernels, "run">,
  { files: folder, seconds, note }: BuildOptions,
): Promise<Problem[]> {
  const all = folder === undefined ? null : readDataFolder(folder);
  const execute = createExecute(kernels, seconds);
  const problems: Problem[] = [];
  for (const named of notebooks) {
    const location = named.facts?.location;
    const files = all ?? (location === undefined ? {} : readDataBeside(dirname(location)));
    const { found, ended } = await askAbout(named, kernels, files, seconds);
    const kept: Problem[] = [];
    for (const problem of found)
      if (says(await execute(problem, problem.reference), problem) === 1) kept.push(problem);
      else note(`${problem.id} is left out: run again, it says something else.`);
    if (kept.length === 0) note(`${named.name} gives no problem${ended === "" ? "" : `: it stops with ${ended}`}.`);
    problems.push(...kept);
  }
  return problems;
}

/** What could be asked about a notebook, as far as it runs, and what it stops with. */
async function askAbout(
  { name, notebook }: NamedNotebook,
  kernels: Pick<Kernels, "run">,
  files: Readonly<Record<string, FileContent>>,
  seconds: number,
): Promise<{ readonly found: readonly Problem[]; readonly ended: string }> {
  const cells = notebook.cells.filter(({ type, source }) => type === "code" && strip(source).text !== "");
  if (cells.length === 0) return { found: [], ended: "" };
  const codes = cells.map(({ source }) => normalizeSource(source));
  const runs = await kernels.run({ cells: codes, files, seconds });
  const outputs = new Map(
    runs.flatMap(({ status, output }, at) => (status === "ok" ? [[cells[at]!, output] as const] : [])),
  );
  const intentOf = (cell: NotebookCell) => splitAbove(notebook.cells, cell).markdown.trim();
  const suitable = cells.filter((cell, at) => at > 0 && outputs.get(cell)?.trim() && intentOf(cell) !== "");
  const used = Object.fromEntries(
    Object.entries(files).filter(([path]) => codes.some((code) => code.includes(path.split("/").at(-1)!))),
  );
  const found = spreadCells(suitable).map((cell) => {
    const at = cells.indexOf(cell);
    const first = Math.max(0, at - MOST_CONTEXT);
    return {
      id: `${name}#${cell.index}`,
      notebook: name,
      setup: codes.slice(0, first),
      context: codes.slice(first, at),
      columns: "",
      intent: intentOf(cell),
      reference: codes[at]!,
      output: outputs.get(cell)!,
      files: used,
    };
  });
  const last = runs.at(-1);
  return { found, ended: last === undefined || last.status === "ok" ? "" : describe(last) };
}

function describe({ status, error, message }: RunCell): string {
  const [why] = (message ?? "").split("\n");
  return error === undefined ? status : why ? `${error}: ${why}` : error;
}
