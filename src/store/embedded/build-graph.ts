import { Worker } from "node:worker_threads";
import type { GraphTask } from "./graph-build.js";
import { threadFile } from "./thread-file.js";

/** Has a part of the graph built by another thread. Where the signal ends it, nothing is left but an unfinished file. */
export function buildGraph(task: GraphTask, onProgress: (rows: number) => void, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const worker = new Worker(threadFile("graph-worker"), { workerData: task });
    const stop = () => void worker.terminate();
    signal?.addEventListener("abort", stop, { once: true });
    worker.on("message", onProgress);
    worker.on("error", reject);
    worker.on("exit", (code) => {
      signal?.removeEventListener("abort", stop);
      if (code === 0) resolve();
      else reject(signal?.aborted ? signal.reason : new Error(`the thread that builds the graph ended with ${code}`));
    });
  });
}
