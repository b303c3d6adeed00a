import { dirname } from "node:path";
import { normalizeSource } from "../../../notebook/extract.js";
import type { NamedNotebook, NotebookCell } from "../../../notebook/notebook.js";
import type { Token } from "../../../python/lex.js";
import { BUILTINS } from "../../../python/lex.js";
import { neededNames } from "../../../python/needed-names.js";
import { filledLines, strip } from "../../../python/strip.js";
import { tokenize } from "../../../python/tokenize.js";
import type { FileContent, Kernels, RunCell } from "../../execute/kernels.js";
import { readDataBeside, readDataFolder } from "../../execute/record-cells.js";
import { outputValue } from "../../metrics/output-em.js";
import { splitAbove, spreadCells } from "../../notebook-context.js";
import { createExecute } from "./exeds-execute.js";
import { type OwnProblem, toProblem } from "./exeds-problems.js";
import { columnsLine } from "./exeds-released.js";
import { isRightOutput } from "./exeds-score.js";

export interface BuildOptions {
  /** A folder of data for all notebooks. By default, each notebook gets the small data files beside it. */
  readonly files?: string | undefined;
  /** Time limit for one notebook. */
  readonly seconds: number;
  /** Prints a note. */
  note(text: string): void;
}

/** Number of cells above, code or Markdown, that targets get. Cells further up only run as setup. */
const MAX_CONTEXT = 3;
/** The limits in the paper's rules for problems; see `isSuitable`. */
const MAX_LINES = 5;
const MAX_DISTANCE = 5;
/** Maximum number of problems with the same output, such as `True` or `(891, 12)`. */
const MAX_SAME_OUTPUT = 2;

/**
 * Makes at most two problems from each notebook: cells that print something and have Markdown directly above, by the
 * rules of the paper (see `isSuitable`). Each notebook is executed twice; a cell whose output differs between the two
 * runs is left out, and at most two problems have the same output.
 */
export async function buildProblems(
  notebooks: readonly NamedNotebook[],
  kernels: Pick<Kernels, "run">,
  { files: folder, seconds, note }: BuildOptions,
): Promise<OwnProblem[]> {
  const all = folder === undefined ? null : readDataFolder(folder);
  const execute = createExecute(kernels, { limit: { seconds } });
  const problems: OwnProblem[] = [];
  for (const named of notebooks) {
    const location = named.facts?.location;
    const files = all ?? (location === undefined ? {} : readDataBeside(dirname(location)));
    const { found, ended } = await askAbout(named, kernels, files, seconds);
    const kept: OwnProblem[] = [];
    for (const line of found) {
      const problem = toProblem(line, "");
      if (isRightOutput(await execute(problem, problem.reference), problem) === 1) kept.push(line);
      else note(`${problem.id} was skipped: a second run gave a different output.`);
    }
    if (kept.length === 0)
      note(`${named.name} has no usable problem${ended === "" ? "" : `: it stops with ${ended}`}.`);
    problems.push(...kept);
  }
  return downSample(problems, note);
}

/** Keeps the first problems of each output. */
function downSample(problems: readonly OwnProblem[], note: BuildOptions["note"]): OwnProblem[] {
  const seen = new Map<string, number>();
  const kept = problems.filter(({ output }) => {
    const value = outputValue(output);
    seen.set(value, (seen.get(value) ?? 0) + 1);
    return seen.get(value)! <= MAX_SAME_OUTPUT;
  });
  if (kept.length < problems.length)
    note(`${problems.length - kept.length} problems were left out: ${MAX_SAME_OUTPUT} others have the same output.`);
  return kept;
}

/** The problems of a notebook up to its first error, and that error. */
async function askAbout(
  { name, notebook }: NamedNotebook,
  kernels: Pick<Kernels, "run">,
  files: Readonly<Record<string, FileContent>>,
  seconds: number,
): Promise<{ readonly found: readonly OwnProblem[]; readonly ended: string }> {
  const cells = notebook.cells.filter(({ type, source }) => type === "code" && strip(source).text !== "");
  if (cells.length === 0) return { found: [], ended: "" };
  const codes = cells.map(({ source }) => normalizeSource(source));
  const runs = await kernels.run({ cells: codes, files, seconds, inspect: true });
  const outputs = new Map(
    runs.flatMap(({ status, output }, at) => (status === "ok" ? [[cells[at]!, output] as const] : [])),
  );
  const intentOf = (cell: NotebookCell) => splitAbove(notebook.cells, cell).markdown.trim();
  const suitable = cells.filter(
    (cell, at) =>
      at > 0 &&
      outputs.get(cell)?.trim() &&
      intentOf(cell) !== "" &&
      isSuitable(notebook.cells.slice(0, cell.index + 1)),
  );
  const used = Object.fromEntries(
    Object.entries(files).filter(([path]) => codes.some((code) => code.includes(path.split("/").at(-1)!))),
  ) as Record<string, Exclude<FileContent, { path: string }>>;
  const found = spreadCells(suitable).map((cell) => {
    const at = cells.indexOf(cell);
    const shown = notebook.cells
      .slice(0, cell.index)
      .filter(({ source }) => source.trim() !== "")
      .slice(-MAX_CONTEXT);
    // The Markdown directly above is the intent.
    const context = shown.slice(0, shown.findLastIndex(({ type }) => type !== "markdown") + 1);
    const first = context.find(({ type }) => type === "code");
    const hidden = first === undefined ? at : cells.findIndex(({ index }) => index >= first.index);
    return {
      id: `${name}#${cell.index}`,
      notebook: name,
      setup: codes.slice(0, hidden),
      context: context
        .filter(({ type }) => type !== "other")
        .map(({ type, source }) =>
          type === "code" ? normalizeSource(source) : { type: "markdown" as const, source: source.trim() },
        ),
      columns: columnsOf(codes[at]!, runs[at - 1]?.variables ?? {}),
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

/** The columns of the first data frame that the cell uses. */
function columnsOf(code: string, variables: NonNullable<RunCell["variables"]>): string {
  const frame = [...neededNames(code)].find((name) => variables[name]?.columns !== undefined);
  return frame === undefined ? "" : columnsLine(variables[frame]!.columns!, frame);
}

/**
 * Whether the last cell follows the paper's rules: it has at most five lines of code, it calls nothing that the
 * notebook itself defines, and the five cells above create every variable that it needs.
 */
export function isSuitable(cells: readonly NotebookCell[]): boolean {
  const reference = normalizeSource(cells.at(-1)!.source);
  const lines = filledLines(strip(reference).text);
  if (lines.length > MAX_LINES || DEFINITION.test(reference)) return false;
  const above = cells.slice(0, -1);
  const code = (some: readonly NotebookCell[]) =>
    some.filter(({ type }) => type === "code").map(({ source }) => normalizeSource(source));
  const needed = [...neededNames(reference)].filter((name) => !BUILTINS.has(name));
  const defined = new Set(code(above).flatMap(definedNames));
  if (needed.some((name) => defined.has(name)) || calledMethods(reference).some((name) => defined.has(name)))
    return false;
  const imported = new Set(code(above).flatMap(importedNames));
  const assignedNearby = new Set(code(above.slice(-MAX_DISTANCE)).flatMap(assignedNames));
  return needed.every((name) => imported.has(name) || assignedNearby.has(name));
}

const DEFINITION = /^\s*(?:async\s+)?(?:def|class)\s/m;

/** The names of functions, classes, methods and assigned lambdas. */
function definedNames(code: string): string[] {
  return [...code.matchAll(/^\s*(?:(?:async\s+)?def|class)\s+(\w+)|^(\w+)\s*=\s*lambda\b/gm)].map(
    ([, name, lambda]) => name ?? lambda!,
  );
}

const calledMethods = (code: string): string[] => [...code.matchAll(/\.(\w+)\s*\(/g)].map(([, name]) => name!);

function importedNames(code: string): string[] {
  return [...code.matchAll(/^\s*(?:from\s+\S+\s+)?import\s+(.+)$/gm)].flatMap(([, list]) =>
    list!
      .split("#")[0]!
      .split(",")
      .map((part) => {
        const [name, alias] = part
          .replace(/[()]/g, "")
          .trim()
          .split(/\s+as\s+/);
        return (alias ?? name!.split(".")[0]!).trim();
      }),
  );
}

/** Names that a cell assigns to, loops over or opens, including `df` in `df["x"] = 1` and `df.x = 1`. */
function assignedNames(code: string): string[] {
  const found: string[] = [];
  for (const statement of statementsOf(code)) {
    const targets: string[] = [];
    /** For each open bracket, true if it groups names, and false if it belongs to a call or a subscript. */
    const groups: boolean[] = [];
    for (const [at, { text, kind }] of statement.entries()) {
      const before = statement[at - 1];
      if (OPENING.has(text)) groups.push(before?.kind !== "name" && !CLOSING.has(before?.text ?? ""));
      else if (CLOSING.has(text)) groups.pop();
      else if (groups.length === 0 && ASSIGNMENT.test(text)) found.push(...targets.splice(0));
      else if (kind === "name" && before?.text === "as") found.push(text);
      else if (kind === "name" && before?.text !== "." && groups.every(Boolean)) targets.push(text);
      if (text === "in" && statement[0]!.text === "for") found.push(...targets.splice(0));
    }
  }
  return found;
}

const OPENING = new Set("([{");
const CLOSING = new Set(")]}");
const ASSIGNMENT = /^(?:[-+*/%&|^@]|\*\*|\/\/|<<|>>)?=$/;

function statementsOf(code: string): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of tokenize(code)) {
    if (token.kind === "newline" || token.text === ";") statements.push([]);
    else if (token.kind !== "comment") statements.at(-1)!.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}
