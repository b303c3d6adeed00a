import { parentPort } from "node:worker_threads";
import { packError } from "../../threads/crossing-error.js";
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

async function answer(task: (input: never) => unknown, input: unknown): Promise<Answer> {
  try {
    return { value: await task(input as never) };
  } catch (error) {
    return { error: packError(error) };
  }
}
