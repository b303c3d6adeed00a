import { RecommenderError } from "../../../errors.js";
import type { KernelJob, Kernels, RunCell } from "../../execute/kernels.js";
import type { PredictedCase } from "../../predictions/prediction-result.js";
import type { Problem } from "./exeds-problems.js";

/** The outcome of a predicted cell, executed after its context. */
export interface Execution {
  /** `ok`, the exception, or the limit that ended it. */
  readonly ended: string;
  readonly output: string;
  /** The only output that ExeDS's program compares. */
  readonly first?: string | undefined;
  /** The message of the exception. */
  readonly message?: string;
}

export type Execute = (problem: Problem, code: string) => Promise<Execution>;

/** Time limit for one problem. */
export const SECONDS = 30;
/** Time limit for each cell, as in ExeDS. */
export const PUBLISHED_SECONDS = 1_000;

/** The time limit of a problem, or of each of its cells. */
export type TimeLimit = Pick<KernelJob, "seconds" | "secondsPerCell">;

export interface ExecuteOptions {
  readonly limit?: TimeLimit;
  /** Whether the predictions for a problem may run in copies of one kernel, instead of a kernel of its own for each. */
  readonly shared?: boolean;
}

const CONTEXT_PREFIX = "context: ";

/** The error of the cells above, which prevents running the prediction; null if they ran. */
const endingOfContext = (ended: string): string | null =>
  ended.startsWith(CONTEXT_PREFIX) ? ended.slice(CONTEXT_PREFIX.length) : null;

/**
 * Runs predictions after the cells above; equal code of one problem only once. Predictions of one problem that are
 * requested together can share a kernel, because starting it and running the cells above takes most of the time.
 */
export function createExecute(
  kernels: Pick<Kernels, "run"> & Partial<Pick<Kernels, "runBranches">>,
  { limit = { seconds: SECONDS }, shared = false }: ExecuteOptions = {},
): Execute {
  const known = new Map<string, Promise<Execution>>();
  const waiting = new Map<string, Map<string, (execution: Promise<Execution>) => void>>();
  const runAlone = async (problem: Problem, code: string) => {
    const cells = await kernels.run({ cells: [...problem.before, code], files: problem.files, ...limit });
    const last = cells.at(-1);
    if (cells.length <= problem.before.length) return failedContext(last);
    return toExecution(last!);
  };
  const runTogether = async (problem: Problem) => {
    const predictions = [...waiting.get(problem.id)!];
    waiting.delete(problem.id);
    const job = { cells: problem.before, branches: predictions.map(([code]) => code), files: problem.files, ...limit };
    const running = predictions.length === 1 ? null : kernels.runBranches!(job);
    for (const [at, [code, settle]] of predictions.entries())
      settle(running === null ? runAlone(problem, code) : running.then(fromBranches(problem, code, at)));
  };
  const fromBranches =
    (problem: Problem, code: string, at: number) =>
    ({ cells, branches }: Awaited<ReturnType<Kernels["runBranches"]>>): Execution | Promise<Execution> => {
      const failed = cells.find(({ status }) => status !== "ok");
      if (failed !== undefined) return failedContext(failed);
      const branch = branches[at] ?? null;
      return branch === null ? runAlone(problem, code) : toExecution(branch);
    };
  const join = (problem: Problem, code: string) =>
    new Promise<Execution>((settle) => {
      const others = waiting.get(problem.id);
      if (others !== undefined) others.set(code, settle);
      else {
        waiting.set(problem.id, new Map([[code, settle]]));
        // All predictions requested in this turn of the event loop run together.
        setImmediate(() => void runTogether(problem));
      }
    });
  return (problem, code) => {
    const key = `${problem.id}\n${code}`;
    const running = known.get(key) ?? (shared ? join(problem, code) : runAlone(problem, code));
    known.set(key, running);
    return running;
  };
}

const failedContext = (cell: RunCell | undefined): Execution => ({
  ended: `${CONTEXT_PREFIX}${describeEnding(cell)}`,
  output: "",
});

function toExecution(cell: RunCell): Execution {
  const [message] = (cell.message ?? "").split("\n");
  const outputs = cell.status === "ok" ? { output: cell.output, first: cell.first } : { output: "" };
  return { ended: describeEnding(cell), ...outputs, ...(message && { message }) };
}

const describeEnding = (cell: RunCell | undefined): string => cell?.error ?? cell?.status ?? "nothing";

/** Types of the variables after the cells above, as known to an editor with a running kernel. */
export async function variablesOf(
  kernels: Pick<Kernels, "run">,
  { before, files }: Problem,
  limit: TimeLimit = { seconds: SECONDS },
): Promise<Record<string, string>> {
  const cells = await kernels.run({ cells: before, files, ...limit, inspect: true });
  return Object.fromEntries(Object.entries(cells.at(-1)?.variables ?? {}).map(([name, { type }]) => [name, type]));
}

/** Describes the problems whose context fails for any prediction. Null if there are none. */
export function describeFailedContexts(cases: readonly PredictedCase[]): string | null {
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
    throw new RecommenderError("INPUT_INVALID", `Nothing is measured. ${describeFailedContexts(cases)}`);
}
