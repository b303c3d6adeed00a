import { setImmediate as nextTurn } from "node:timers/promises";
import { RecommenderError } from "../../errors.js";
import type { NamedNotebook } from "../../notebook/notebook.js";
import type { Latency, TargetProblems } from "../result-document.js";
import { quantile } from "../statistics/bootstrap.js";
import { type Target, type TargetAnswer, TargetFault, type TargetQuery } from "../target.js";

interface TargetQuestion<T> {
  readonly key: T;
  readonly query: TargetQuery;
}

/** The answer to a question, or an empty answer and the problem. */
export interface Reply<T> {
  readonly key: T;
  readonly answer: TargetAnswer;
  readonly problems: Partial<TargetProblems>;
}

const EMPTY_ANSWER: TargetAnswer = { hits: [], junk: 0, took: {} };

/** Asks all questions, `jobs` at a time, and reports each answer. A failed question does not end the run. */
export function askAll<T>(
  target: Target,
  questions: Iterable<TargetQuestion<T>>,
  options: { jobs: number; signal: AbortSignal },
  onReply: (reply: Reply<T>) => void | Promise<void>,
): Promise<void> {
  return runConcurrently(questions, options, async ({ key, query }) =>
    onReply({ key, ...(await askOne(target, query)) }),
  );
}

/** Runs an action for every item, `jobs` at a time, until the signal is aborted. */
export async function runConcurrently<T>(
  items: Iterable<T>,
  { jobs, signal }: { jobs: number; signal: AbortSignal },
  action: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const work = async () => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) {
      await action(next.value);
      // Yields, because a target in this process may never do so, and signals are only handled between turns of the
      // event loop.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

/** Asks a target. A failure gives an empty answer and the kind of the problem. */
export async function askOne(target: Target, query: TargetQuery): Promise<Omit<Reply<unknown>, "key">> {
  try {
    const answer = await target.recommend(query);
    const distinct = new Set(answer.hits.map(({ code }) => code)).size;
    return {
      answer,
      problems: {
        short: answer.hits.length < (target.givesOne ? 1 : query.k) ? 1 : 0,
        duplicates: answer.hits.length - distinct,
        junk: answer.junk,
      },
    };
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    return { answer: EMPTY_ANSWER, problems: { [error.kind]: 1 } };
  }
}

/** Summarizes the milliseconds of every stage. */
export function summarizeLatency(samples: Iterable<Readonly<Record<string, number>> | undefined>): Latency {
  const stages = new Map<string, number[]>();
  for (const sample of samples) {
    for (const [stage, ms] of Object.entries(sample ?? {})) {
      const known = stages.get(stage);
      if (known === undefined) stages.set(stage, [ms]);
      else known.push(ms);
    }
  }
  return Object.fromEntries([...stages].map(([stage, times]) => [stage, summarize(Float64Array.from(times).sort())]));
}

function summarize(sorted: Float64Array): Latency[string] {
  const round = (ms: number) => Math.round(ms * 1000) / 1000;
  return {
    mean: round(sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length),
    p50: round(quantile(sorted, 0.5)),
    p95: round(quantile(sorted, 0.95)),
    p99: round(quantile(sorted, 0.99)),
    max: round(sorted.at(-1)!),
  };
}

const BATCH_CELLS = 1_000;

/** Adds all notebooks to the target, in batches of about a thousand cells. */
export async function uploadAll(
  target: Pick<Target, "add">,
  notebooks: readonly NamedNotebook[],
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<void> {
  let from = 0;
  while (from < notebooks.length && !signal.aborted) {
    let to = from;
    for (let cells = 0; to < notebooks.length && cells < BATCH_CELLS; to += 1)
      cells += notebooks[to]!.notebook.cells.length;
    await target.add(notebooks.slice(from, to));
    onProgress(to);
    from = to;
  }
}

export function noProblems(): TargetProblems {
  return { timeouts: 0, errors5xx: 0, errorsOther: 0, short: 0, duplicates: 0, junk: 0 };
}

export function addProblems(total: TargetProblems, more: Partial<TargetProblems>): TargetProblems {
  const sum = (name: keyof TargetProblems) => total[name] + (more[name] ?? 0);
  return {
    timeouts: sum("timeouts"),
    errors5xx: sum("errors5xx"),
    errorsOther: sum("errorsOther"),
    short: sum("short"),
    duplicates: sum("duplicates"),
    junk: sum("junk"),
  };
}

/** TARGET_FAILED if a target gave no usable answer at all, because zeros would look like a bad recommender. */
export function requireAnswers(
  answers: readonly { readonly hits: number; readonly problems: Partial<TargetProblems> }[],
): void {
  const isUseless = ({ hits, problems }: (typeof answers)[number]) => hits === 0 && hasFailed(problems);
  if (answers.length === 0 || !answers.every(isUseless)) return;
  const total = answers.reduce((sum, { problems }) => addProblems(sum, problems), noProblems());
  throw new RecommenderError(
    "TARGET_FAILED",
    `The target gave no usable answer to any of ${answers.length} questions (${describeFailures(total)}); nothing was measured.`,
  );
}

/** Kinds of failures with their counts; empty if there were none. */
export function describeFailures(problems: TargetProblems): string {
  return FAULTS.filter((fault) => problems[fault] > 0)
    .map((fault) => `${problems[fault]} ${fault}`)
    .join(", ");
}

/** Whether a target failed to answer, or its answer could not be read. */
export function hasFailed(problems: Partial<TargetProblems>): boolean {
  return FAULTS.some((fault) => (problems[fault] ?? 0) > 0);
}

const FAULTS = ["timeouts", "errors5xx", "errorsOther", "junk"] as const;
