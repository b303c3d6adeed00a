import { assetPath } from "../../../config.js";
import { RecommenderError } from "../../../errors.js";
import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { loadGrammar } from "../../../python/grammar.js";
import { openKernels } from "../../execute/kernels.js";
import { hashOf } from "../../runner/inputs.js";
import type { CaseDeps, Prepared, SuiteOption } from "../../suite.js";
import { buildProblems } from "./exeds-build.js";
import { PUBLISHED_SECONDS, SECONDS, type TimeLimit } from "./exeds-execute.js";
import { type OwnProblem, type Problem, toProblem } from "./exeds-problems.js";
import { readProblems } from "./exeds-released.js";

export interface ExedsCases extends Prepared {
  readonly cases: readonly Problem[];
  readonly index: readonly NamedNotebook[];
  readonly options: Pick<
    ExedsOptions,
    "python" | "variables" | "baselines" | "execute" | "allowWeakSandbox" | "generations"
  >;
  readonly limit: TimeLimit;
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
      ? await readProblems(options.cases, { notebooks: options.exedsNotebooks, note: deps.note })
      : (
          await executeNotebooks(
            await deps.readNotebooks(notebooks),
            { ...options, seconds: options.seconds ?? SECONDS },
            deps,
          )
        ).map((line) => toProblem(line, ""));
  if (cases.length === 0)
    throw new RecommenderError("INPUT_INVALID", `No usable problems in ${notebooks?.join(", ")}.`);
  const limit = limitOf(options);
  const problems = options.paperProtocol === true ? cases.map(asPublished) : cases;
  const index = await deps.readNotebooks(options.index);
  const cells = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
  return {
    cases: problems,
    index,
    options,
    limit,
    searchPath: deps.env.PATH,
    note: deps.note,
    origin: {
      ...(notebooks === undefined ? { cases: options.cases } : { notebooks: [...notebooks] }),
      index: [...options.index],
    },
    inputs: { cases: hashOf(cases), index: hashOf(cells) },
    settings: { variables: options.variables, executed: options.execute, ...limit },
  };
}

/** Makes numpy print like numpy 1, as in ExeDS's answers: `0.5` instead of `np.float64(0.5)`. */
const PRINT_AS_NUMPY_1 = `try:
    __import__("numpy").set_printoptions(legacy="1.25")
except Exception:
    pass`;

const asPublished = (problem: Problem): Problem => ({ ...problem, before: [PRINT_AS_NUMPY_1, ...problem.before] });

/** The time limit. As published, 1,000 seconds for each cell; by default, 30 seconds for the whole problem. */
function limitOf({ paperProtocol, seconds }: ExedsOptions): TimeLimit {
  return paperProtocol === true ? { secondsPerCell: seconds ?? PUBLISHED_SECONDS } : { seconds: seconds ?? SECONDS };
}

/** Executes notebooks and makes problems from them. */
export async function executeNotebooks(
  notebooks: readonly NamedNotebook[],
  { files, python, seconds }: ExecuteOptions,
  { env, note }: Pick<CaseDeps, "env" | "note">,
): Promise<OwnProblem[]> {
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
  readonly seconds?: number;
  readonly paperProtocol?: boolean;
  readonly exedsNotebooks?: string;
  readonly generations?: string;
  readonly allowWeakSandbox?: boolean;
}

/** The options for executing notebooks. */
export interface ExecuteOptions extends Pick<ExedsOptions, "files" | "python"> {
  readonly seconds: number;
}

const FILES_OPTION: SuiteOption = {
  flags: "--files <folder>",
  description: "folder of data files, which are copied to the working folder of each notebook and to ../input",
  value: "text",
};
const PYTHON_OPTION: SuiteOption = {
  flags: "--python <path>",
  description: "Python interpreter with jupyter_client, ipykernel and the packages that the problems import",
  value: "text",
  fallback: "python3",
};
const TIME_LIMIT = { flags: "--seconds <number>", value: { min: 1, max: 3_600 } } as const;

/** Options of `celrec eval build exeds`. */
export const BUILD_OPTIONS: readonly SuiteOption[] = [
  FILES_OPTION,
  PYTHON_OPTION,
  { ...TIME_LIMIT, description: "time limit for one notebook", fallback: SECONDS },
];

/** Options of `celrec eval exeds`. */
export const EXEDS_OPTIONS: readonly SuiteOption[] = [
  {
    flags: "--cases <file>",
    description:
      "problems as JSON lines, with their data in a folder named data next to the file, or ExeDS's exeds_test.json",
    value: "text",
    fallback: assetPath("examples/exeds/problems.jsonl"),
    fallbackName: "68 problems of this project",
  },
  {
    flags: "--exeds-notebooks <folder>",
    description: "the notebooks of ExeDS's release; default ExeDS_notebooks next to exeds_test.json",
    value: "text",
  },
  {
    flags: "--notebooks <paths...>",
    description: "make the problems by executing these notebooks",
    value: "list",
  },
  FILES_OPTION,
  { flags: "--index <paths...>", description: "notebooks to recommend from", value: "list", required: true },
  PYTHON_OPTION,
  {
    flags: "--no-variables",
    description: "do not send the kernel's variables to the target, and do not compare runs with and without them",
  },
  {
    flags: "--execute <number>",
    description: "number of results to execute; metrics named best- use the best of them",
    value: { min: 1, max: 100 },
    fallback: 1,
  },
  { ...TIME_LIMIT, description: `time limit for one problem; default: ${SECONDS}` },
  {
    flags: "--paper-protocol",
    description: `as in the paper: --seconds is for each cell, ${PUBLISHED_SECONDS} by default; numbers print as in numpy 1`,
  },
  {
    flags: "--generations <file>",
    description: "also write the predictions as JSON for ExeDS's own program: a list of {target, generation}",
    value: "text",
  },
  {
    flags: "--allow-weak-sandbox",
    description: "execute predictions of a language model even without bubblewrap",
  },
  { flags: "--no-baselines", description: "run only the target" },
];
