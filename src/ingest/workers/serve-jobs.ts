import { parentPort } from "node:worker_threads";
import { RecommenderError } from "../../errors.js";
import { type Answer, type Job, READY } from "./protocol.js";

/** What a thread can be asked to do, by name. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>;

/** Answers the jobs of the main thread, one after another, for as long as the thread lives. */
export function serveJobs(tasks: Tasks): void {
  let turn: Promise<void> = Promise.resolve();
  parentPort!.on("message", ({ task, input }: Job) => {
    turn = turn.then(async () => parentPort!.postMessage(await answer(tasks[task]!, input)));
  });
  parentPort!.postMessage(READY);
}

/** An error of ours crosses over as its code and message; anything else is a bug, and comes as it is. */
async function answer(task: (input: never) => unknown, input: unknown): Promise<Answer> {
  try {
    return { value: await task(input as never) };
  } catch (error) {
    if (error instanceof RecommenderError)
      return { error: { code: error.code, message: error.message, problems: error.problems } };
    return { bug: error };
  }
}
