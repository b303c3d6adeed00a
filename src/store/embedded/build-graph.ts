import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { GraphTask } from "./graph-build.js";

/** Has a part of the graph built by another thread. Where the signal ends it, nothing is left but an unfinished file. */
export function buildGraph(task: GraphTask, onProgress: (rows: number) => void, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), { workerData: task });
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

/** Threads run compiled code; from the sources, as tests run them, it lies in `dist`. */
function workerFile(): URL {
  const beside = new URL("graph-worker.js", import.meta.url);
  return existsSync(fileURLToPath(beside))
    ? beside
    : new URL("../../../dist/src/store/embedded/graph-worker.js", import.meta.url);
}
