import { parentPort, workerData } from "node:worker_threads";
import { type CrossingError, packError } from "../../threads/crossing-error.js";
import type { IndexIdentity, NewCell, Notebook } from "../vector-store.js";
import { openDatabase } from "./database.js";
import { explain } from "./guard.js";
import { createLabelCodec } from "./label-bits.js";
import { createState } from "./state.js";
import { createWrites } from "./writes.js";

export interface WriteThreadData {
  readonly folder: string;
  readonly identity: IndexIdentity;
  readonly keptRemovals: number;
}

/** Cells that the next `put` stores; their vectors stand one behind another. */
export interface CellChunk {
  readonly cells: readonly Omit<NewCell, "vector">[];
  readonly vectors: Float32Array;
}

export type Change =
  | { readonly put: readonly Notebook[] }
  | { readonly remove: readonly string[] }
  | { readonly clear: true }
  | { readonly close: true };

export type ChangeAnswer = { readonly value: unknown } | { readonly error: CrossingError };

const { folder, identity, keptRemovals } = workerData as WriteThreadData;
const database = openDatabase(folder, false);
const codec = createLabelCodec(identity.labels);
const writes = createWrites(database, createState(database, folder), codec, identity, keptRemovals);
let made: NewCell[] = [];

parentPort!.on("message", (message: CellChunk | Change) => {
  if ("cells" in message) return take(message);
  if ("close" in message) {
    database.close();
    parentPort!.close();
    return;
  }
  parentPort!.postMessage(answer(message));
  made = [];
});

function take({ cells, vectors }: CellChunk): void {
  const { dimensions } = identity;
  for (const [at, cell] of cells.entries())
    made.push({ ...cell, vector: vectors.subarray(at * dimensions, (at + 1) * dimensions) });
}

function answer(change: Exclude<Change, { close: true }>): ChangeAnswer {
  try {
    if ("put" in change) return { value: writes.put(change.put, made) };
    return { value: "remove" in change ? writes.remove(change.remove) : writes.clear() };
  } catch (error) {
    // Said here, because the code of SQLite's error does not cross over.
    return { error: packError(explain(folder, error)) };
  }
}
