import { setImmediate as nextTurn } from "node:timers/promises";
import type { NamedNotebook } from "../../notebook/notebook.js";
import type { Latency, TargetProblems } from "../result-document.js";
import { quantile } from "../statistics/bootstrap.js";
import { type Target, type TargetAnswer, TargetFault, type TargetQuery } from "../target.js";

export interface TargetQuestion<T> {
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

/** Asks all questions, `jobs` at a time, and reports each answer. A target that fails is asked the next question. */
export async function askAll<T>(
  target: Target,
  questions: Iterable<TargetQuestion<T>>,
  { jobs, signal }: { jobs: number; signal: AbortSignal },
  onReply: (reply: Reply<T>) => void | Promise<void>,
): Promise<void> {
  const queue = questions[Symbol.iterator]();
  const work = async () => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) {
      const { key, query } = next.value;
      await onReply({ key, ...(await askOne(target, query)) });
      // A target in this process may never yield, and signals are handled only between two turns of the event loop.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

async function askOne(target: Target, query: TargetQuery): Promise<Omit<Reply<unknown>, "key">> {
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
