import type { NewCell, Notebook, WriteOutcome } from "../vector-store.js";
import { createWriteThread } from "./write-thread.js";
import type { WriteThreadData } from "./write-worker.js";
import type { createWrites } from "./writes.js";

export interface WriteLimits {
  /** Up to this many cells are written on the calling thread: sending them to another would take longer. */
  readonly inlineCells: number;
  /** The limit in characters of code. */
  readonly inlineCode: number;
}

export const WRITE_LIMITS: WriteLimits = { inlineCells: 64, inlineCode: 64 * 1024 };

/**
 * Makes small changes on the calling thread, and large ones on a second thread, which the first large change starts.
 */
export function createScheduledWrites(
  here: ReturnType<typeof createWrites>,
  sizeOfAll: () => number,
  data: WriteThreadData,
  { inlineCells, inlineCode }: WriteLimits,
) {
  const there = createWriteThread(data);
  return {
    async put(notebooks: readonly Notebook[], made: readonly NewCell[]): Promise<WriteOutcome> {
      const stored = notebooks.reduce((sum, { id, cells }) => sum + Math.max(cells.length, here.sizeOf(id)), 0);
      const code = made.reduce((sum, cell) => sum + cell.code.length, 0);
      return stored <= inlineCells && code <= inlineCode ? here.put(notebooks, made) : there.put(notebooks, made);
    },
    remove: async (ids: readonly string[]): Promise<number> => {
      const size = ids.reduce((sum, id) => sum + here.sizeOf(id), 0);
      return size <= inlineCells ? here.remove(ids) : there.remove(ids);
    },
    clear: async (): Promise<void> => (sizeOfAll() <= inlineCells ? here.clear() : there.clear()),
    close: there.close,
  };
}

export type ScheduledWrites = ReturnType<typeof createScheduledWrites>;
