import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { unpackError } from "../../threads/crossing-error.js";
import type { NewCell, Notebook, WriteOutcome } from "../vector-store.js";
import { explain } from "./guard.js";
import { threadFile } from "./thread-file.js";
import type { CellChunk, Change, ChangeAnswer, WriteThreadData } from "./write-worker.js";

/** Cells of one message: packing them takes a few milliseconds, and others get their turn before the next. */
const CHUNK_CELLS = 128;
const CHUNK_LENGTH = 512 * 1024;

/** Large changes, made by another thread on a connection of its own: it waits for the disk in the place of this one. One at a time. */
export function createWriteThread(data: WriteThreadData) {
  let worker: Worker | null = null;
  let asking: { resolve(value: unknown): void; reject(error: unknown): void } | null = null;

  const start = (): Worker => {
    const started = new Worker(threadFile("write-worker"), { workerData: data });
    const fail = (error: unknown) => {
      worker = null;
      asking?.reject(explain(data.folder, error));
      asking = null;
    };
    started.on("message", (answer: ChangeAnswer) => {
      // An idle thread keeps no process alive.
      started.unref();
      if ("value" in answer) asking?.resolve(answer.value);
      else asking?.reject(unpackError(answer.error));
      asking = null;
    });
    started.on("error", fail);
    started.on("exit", (code) => fail(new Error(`the thread that writes ended with ${code}`)));
    return started;
  };
  const change = <T>(what: Change): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      worker ??= start();
      worker.ref();
      asking = { resolve: resolve as (value: unknown) => void, reject };
      worker.postMessage(what);
    });

  return {
    async put(notebooks: readonly Notebook[], made: readonly NewCell[]): Promise<WriteOutcome> {
      worker ??= start();
      for (const chunk of chunks(made)) {
        worker.postMessage(pack(chunk, data.identity.dimensions) satisfies CellChunk);
        await nextTurn();
      }
      return change({ put: notebooks });
    },
    remove: (ids: readonly string[]) => change<number>({ remove: ids }),
    clear: () => change<void>({ clear: true }),
    async close(): Promise<void> {
      if (worker === null) return;
      const ended = once(worker, "exit");
      worker.ref();
      worker.postMessage({ close: true } satisfies Change);
      await ended;
    },
  };
}

function* chunks(cells: readonly NewCell[]): Generator<NewCell[]> {
  let chunk: NewCell[] = [];
  let length = 0;
  for (const cell of cells) {
    chunk.push(cell);
    length += cell.code.length;
    if (chunk.length < CHUNK_CELLS && length < CHUNK_LENGTH) continue;
    yield chunk;
    [chunk, length] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}

/** The vectors in one buffer: one that is a view of a larger buffer would take that along. */
function pack(cells: readonly NewCell[], dimensions: number): CellChunk {
  const vectors = new Float32Array(cells.length * dimensions);
  for (const [at, { vector }] of cells.entries()) vectors.set(vector, at * dimensions);
  return { cells: cells.map(({ vector: _, ...cell }) => cell), vectors };
}
