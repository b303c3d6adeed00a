import { RecommenderError } from "../../../errors.js";
import type { Kernels, RunCell } from "../../execute/kernels.js";
import type { PredictedCase } from "../../predictions/prediction-result.js";
import type { Problem } from "./exeds-problems.js";

/** The outcome of a predicted cell, executed after its context. */
export interface Execution {
  /** `ok`, the exception, or the limit that ended it. */
  readonly ended: string;
  readonly output: string;
  /** The only output that ExeDS's program compares. */
  readonly first?: string | undefined;
  /** What the exception says. */
  readonly message?: string;
}

export const SECONDS = 30;

const CONTEXT = "context: ";

/** The error of the cells above, which prevents running the prediction; null if they ran. */
export const endingOfContext = (ended: string): string | null =>
  ended.startsWith(CONTEXT) ? ended.slice(CONTEXT.length) : null;

/** Runs predictions after their context with a time limit; equal code for one problem only once. */
export function createExecute(
  kernels: Pick<Kernels, "run">,
  seconds = SECONDS,
): (problem: Problem, code: string) => Promise<Execution> {
  const known = new Map<string, Promise<Execution>>();
  return (problem, code) => {
    const key = `${problem.id}\n${code}`;
    const running = known.get(key) ?? execute(kernels, problem, code, seconds);
    known.set(key, running);
    return running;
  };
}

async function execute(
  kernels: Pick<Kernels, "run">,
  problem: Problem,
  code: string,
  seconds: number,
): Promise<Execution> {
  const before = [...problem.setup, ...problem.context];
  const cells = await kernels.run({ cells: [...before, code], files: problem.files, seconds });
  const last = cells.at(-1);
  if (cells.length <= before.length || last === undefined) return { ended: `${CONTEXT}${describe(last)}`, output: "" };
  const [message] = (last.message ?? "").split("\n");
  const outputs = last.status === "ok" ? { output: last.output, first: last.first } : { output: "" };
  return { ended: describe(last), ...outputs, ...(message && { message }) };
}

const describe = (cell: RunCell | undefined): string => cell?.error ?? cell?.status ?? "nothing";

/** Variable -> type after the context, as an editor with a running kernel knows them. */
export async function variablesOf(
  kernels: Pick<Kernels, "run">,
  { setup, context, files }: Problem,
  seconds = SECONDS,
): Promise<Record<string, string>> {
  const cells = await kernels.run({ cells: [...setup, ...context], files, seconds, inspect: true });
  return Object.fromEntries(Object.entries(cells.at(-1)?.variables ?? {}).map(([name, { type }]) => [name, type]));
}

/** Describes the problems whose own cells above fail, whatever is predicted. Null if there are none. */
export function describeBroken(cases: readonly PredictedCase[]): string | null {
  const broken = cases.flatMap(({ id, notes }) => {
    const ended = endingOfContext(notes?.raw ?? "");
    return ended === null ? [] : [{ id, ended }];
  });
  const [first] = broken;
  if (first === undefined) return null;
  return `The cells above ${broken.length} of ${cases.length} problems do not run, ${first.id} for example: ${first.ended}. Check that the Python of --python has the packages that they import.`;
}

/** INPUT_INVALID if no problem could be run: figures of 0 would look like a bad recommender. */
export function requireContexts(cases: readonly PredictedCase[]): void {
  const isBroken = ({ notes }: PredictedCase) => endingOfContext(notes?.raw ?? "") !== null;
  if (cases.every(isBroken))
    throw new RecommenderError("INPUT_INVALID", `Nothing is measured. ${describeBroken(cases)}`);
}
