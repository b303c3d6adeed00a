import { workerData } from "node:worker_threads";
import { serveThread } from "../../threads/serve-thread.js";
import type { CallContext, Handlers } from "../../threads/thread-protocol.js";
import type { IndexIdentity, NewCell, Notebook } from "../vector-store.js";
import { openDatabase } from "./database.js";
import { withDiskErrors } from "./disk-errors.js";
import { createLabelCodec } from "./label-bits.js";
import { createState } from "./state.js";
import { createWrites } from "./writes.js";

export interface WriteThreadData {
  readonly folder: string;
  readonly identity: IndexIdentity;
  readonly keptRemovals: number;
}

/** Cells that the next `put` stores; their vectors are concatenated. */
export interface CellChunk {
  readonly cells: readonly Omit<NewCell, "vector">[];
  readonly vectors: Float32Array;
}

const { folder, identity, keptRemovals } = workerData as WriteThreadData;

// SQLite's error codes do not cross threads, so errors are explained here.
await serveThread(() =>
  withDiskErrors(folder, () => {
    const database = openDatabase(folder, false);
    return { handlers: createWriteHandlers(database), close: () => void database.close() };
  }),
);

function createWriteHandlers(database: ReturnType<typeof openDatabase>) {
  const codec = createLabelCodec(identity.labels);
  const writes = createWrites(database, createState(database, folder), codec, identity, keptRemovals);
  return {
    put: (notebooks: readonly Notebook[], { chunks }: CallContext) =>
      withDiskErrors(folder, () => writes.put(notebooks, (chunks as readonly CellChunk[]).flatMap(unpack))),
    remove: (ids: readonly string[]) => withDiskErrors(folder, () => writes.remove(ids)),
    clear: () => withDiskErrors(folder, () => writes.clear()),
  } satisfies Handlers;
}

export type WriteHandlers = ReturnType<typeof createWriteHandlers>;

function unpack({ cells, vectors }: CellChunk): NewCell[] {
  const { dimensions } = identity;
  return cells.map((cell, at) => ({ ...cell, vector: vectors.subarray(at * dimensions, (at + 1) * dimensions) }));
}
