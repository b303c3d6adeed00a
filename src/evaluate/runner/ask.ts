import { setImmediate as nextTurn } from "node:timers/promises";
import type { TargetProblems } from "../document.js";
import { type Target, type TargetAnswer, TargetFault, type TargetQuery } from "../target.js";

export interface TargetQuestion<T> {
  readonly key: T;
  readonly query: TargetQuery;
}

/** What came of a question: an answer, or nothing and why. */
export interface Reply<T> {
  readonly key: T;
  readonly answer: TargetAnswer;
  readonly problems: Partial<TargetProblems>;
}

const SILENCE: TargetAnswer = { hits: [], junk: 0, took: {} };

/** Asks all questions, `jobs` at a time, and tells of each as it is answered. A target that fails is asked on. */
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
      // A target in this process answers without ever waiting; Ctrl-C is heard only between two turns of the event loop.
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
    return { answer: SILENCE, problems: { [error.kind]: 1 } };
  }
}
