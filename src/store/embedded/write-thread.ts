import { assetPath } from "../../config.js";
import { createPool } from "../../threads/pool.js";
import { type Transferred, transfer } from "../../threads/thread-protocol.js";
import type { NewCell, Notebook, WriteOutcome } from "../vector-store.js";
import type { CellChunk, WriteHandlers, WriteThreadData } from "./write-worker.js";

/** Cells of one message: packing them takes a few milliseconds, and other work runs before the next one. */
const CHUNK_CELLS = 128;
const CHUNK_LENGTH = 512 * 1024;

/** Makes large changes in another thread with its own connection, so the calling thread does not wait for the disk. */
export function createWriteThread(data: WriteThreadData) {
  const module = assetPath("dist/src/store/embedded/write-worker.js");
  const pool = createPool<WriteHandlers>({ module, data, size: 1, perThread: 1 });
  return {
    put: (notebooks: readonly Notebook[], made: readonly NewCell[]): Promise<WriteOutcome> =>
      pool.call("put", notebooks, { chunks: packChunks(made, data.identity.dimensions) }),
    remove: (ids: readonly string[]): Promise<number> => pool.call("remove", ids),
    clear: (): Promise<void> => pool.call("clear", undefined),
    close: pool.close,
  };
}

function* packChunks(cells: readonly NewCell[], dimensions: number): Generator<Transferred<CellChunk>> {
  for (const chunk of chunks(cells)) yield pack(chunk, dimensions);
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

/**
 * Copies the vectors into one new buffer, which is transferred. The vectors may be views of a buffer that is still in
 * use.
 */
function pack(cells: readonly NewCell[], dimensions: number): Transferred<CellChunk> {
  const vectors = new Float32Array(cells.length * dimensions);
  for (const [at, { vector }] of cells.entries()) vectors.set(vector, at * dimensions);
  return transfer({ cells: cells.map(({ vector: _, ...cell }) => cell), vectors }, [vectors.buffer]);
}
