import { dirname } from "node:path";
import { assetPath } from "../../../config.js";
import { RecommenderError } from "../../../errors.js";
import { extractCells, normalizeSource } from "../../../notebook/extract.js";
import type { NamedNotebook, NotebookCell } from "../../../notebook/notebook.js";
import { loadGrammar } from "../../../python/grammar.js";
import { strip } from "../../../python/strip.js";
import { readDataBeside, readDataFolder } from "../../execute/data-files.js";
import { type FileContent, type Kernels, openKernels, type RunCell } from "../../execute/kernels.js";
import { splitAbove, spreadCells } from "../../notebook-context.js";
import { hashOf } from "../../runner/inputs.js";
import type { CaseDeps, Prepared, SuiteOption } from "../../suite.js";
import { createExecute, SECONDS } from "./exeds-execute.js";
import { type Problem, readProblems } from "./exeds-problems.js";
import { says } from "./exeds-score.js";

export interface BuildOptions {
  /** A folder of data for all notebooks; without it each finds the small data files beside it. */
  readonly files?: string | undefined;
  /** For one notebook. */
  readonly seconds: number;
  /** Prints a note. */
  note(text: string): void;
}

/** Cells above that are shown; those further up are run as the setup. */
const MAX_CONTEXT = 3;

/**
 * Makes at most two problems from each notebook: cells that print something and have Markdown directly above. Each notebook
 * is executed twice; a cell whose output differs between the two runs is left out.
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
      else note(`${problem.id} was skipped: its output differs when run again.`);
    if (kept.length === 0)
      note(`${named.name} has no usable problem${ended === "" ? "" : `: it stops with ${ended}`}.`);
    problems.push(...kept);
  }
  return problems;
}

/** The problems of a notebook up to its first error, and that error. */
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
    const first = Math.max(0, at - MAX_CONTEXT);
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

export interface ExedsCases extends Prepared {
  readonly cases: readonly Problem[];
  readonly index: readonly NamedNotebook[];
  readonly options: Pick<
    ExedsOptions,
    "python" | "variables" | "baselines" | "execute" | "seconds" | "allowWeakSandbox"
  >;
  readonly searchPath: string | undefined;
  readonly note: (text: string) => void;
  readonly origin: Readonly<Record<string, string | string[]>>;
}

/** Reads the problems or makes them, and reads the notebooks to recommend from. */
export async function prepareProblems(options: ExedsOptions, deps: CaseDeps): Promise<ExedsCases> {
  await loadGrammar();
  const { notebooks, execute } = options;
  const { k } = options as { readonly k?: number };
  if (k !== undefined && execute > k)
    throw new RecommenderError("INPUT_INVALID", `--execute ${execute} is more than the ${k} results of --k ${k}.`);
  const cases =
    notebooks === undefined
      ? readProblems(options.cases)
      : await executeNotebooks(await deps.readNotebooks(notebooks), options, deps);
  if (cases.length === 0)
    throw new RecommenderError("INPUT_INVALID", `No usable problems in ${notebooks?.join(", ")}.`);
  const index = await deps.readNotebooks(options.index);
  const cells = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
  return {
    cases,
    index,
    options,
    searchPath: deps.env.PATH,
    note: deps.note,
    origin: {
      ...(notebooks === undefined ? { cases: options.cases } : { notebooks: [...notebooks] }),
      index: [...options.index],
    },
    inputs: { cases: hashOf(cases), index: hashOf(cells) },
    settings: { variables: options.variables, executed: options.execute, seconds: options.seconds },
  };
}

/** Executes notebooks and makes problems from them. */
export async function executeNotebooks(
  notebooks: readonly NamedNotebook[],
  { files, python, seconds }: ExecuteOptions,
  { env, note }: Pick<CaseDeps, "env" | "note">,
): Promise<Problem[]> {
  const kernels = await openKernels({ python, searchPath: env.PATH, jobs: 1, note });
  try {
    return await buildProblems(notebooks, kernels, { files, seconds, note });
  } finally {
    await kernels.close();
  }
}

export interface ExedsOptions {
  readonly cases: string;
  readonly notebooks?: readonly string[];
  readonly files?: string;
  readonly index: readonly string[];
  readonly python: string;
  readonly variables: boolean;
  readonly baselines: boolean;
  readonly execute: number;
  readonly seconds: number;
  readonly allowWeakSandbox?: boolean;
}

/** What it takes to execute notebooks. */
export type ExecuteOptions = Pick<ExedsOptions, "files" | "python" | "seconds">;

const FILES: SuiteOption = {
  flags: "--files <folder>",
  description: "folder of data files, which notebooks find in their working folder and in ../input",
  value: "text",
};
const PYTHON: SuiteOption = {
  flags: "--python <path>",
  description: "a Python with jupyter_client, ipykernel and what the problems import",
  value: "text",
  fallback: "python3",
};
const LIMIT: SuiteOption = {
  flags: "--seconds <number>",
  description: "how long one problem may take",
  value: { min: 1, max: 3_600 },
  fallback: SECONDS,
};

/** Of `celrec eval build exeds`. */
export const BUILD_OPTIONS: readonly SuiteOption[] = [FILES, PYTHON, LIMIT];

/** Of `celrec eval exeds`. */
export const EXEDS_OPTIONS: readonly SuiteOption[] = [
  {
    flags: "--cases <file>",
    description:
      "problems as JSON lines, in our format or ExeDS's, with their data in a folder named data next to the file",
    value: "text",
    fallback: assetPath("examples/exeds/problems.jsonl"),
    fallbackName: "68 problems of this project",
  },
  {
    flags: "--notebooks <paths...>",
    description: "make the problems from these notebooks instead, by executing them",
    value: "list",
  },
  FILES,
  { flags: "--index <paths...>", description: "notebooks to recommend from", value: "list", required: true },
  PYTHON,
  {
    flags: "--no-variables",
    description: "do not send the variables of the running kernel to the target, and do not compare both ways",
  },
  {
    flags: "--execute <number>",
    description: "how many results to execute; metrics named best- use the best of them",
    value: { min: 1, max: 100 },
    fallback: 1,
  },
  LIMIT,
  {
    flags: "--allow-weak-sandbox",
    description: "execute predictions of a language model without bubblewrap, too",
  },
  { flags: "--no-baselines", description: "run only the target; each baseline takes as long again" },
];
