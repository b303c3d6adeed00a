import { RecommenderError } from "../../../errors.js";
import type { NamedNotebook } from "../../../ingest/ingest.js";
import { extractCells } from "../../../notebook/extract.js";
import { loadGrammar } from "../../../python/grammar.js";
import { openKernels } from "../../execute/kernels.js";
import { hashOf } from "../../runner/hash.js";
import type { CaseDeps, Prepared } from "../../suite.js";
import { buildProblems } from "./build.js";
import type { ExecuteOptions, ExedsOptions } from "./options.js";
import { type Problem, readProblems } from "./problems.js";

export interface ExedsCases extends Prepared {
  readonly cases: readonly Problem[];
  readonly index: readonly NamedNotebook[];
  readonly options: Pick<ExedsOptions, "python" | "variables" | "baselines" | "execute" | "seconds">;
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
    throw new RecommenderError("INPUT_INVALID", `There is no problem in ${notebooks?.join(", ")}.`);
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

/** Problems out of notebooks, which are executed for that. */
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
