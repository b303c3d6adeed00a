import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum milliseconds that long work blocks the event loop at a time. */
const MAX_TURN_MS = 8;

/**
 * Returns a function to await between two pieces of work. When they have taken long enough, other work runs first.
 * @example
 * const yieldIfDue = createTurns();
 * for (const cell of cells) { label(cell); await yieldIfDue(); }
 */
export function createTurns(maxMs = MAX_TURN_MS): () => Promise<void> {
  let from = performance.now();
  return async () => {
    if (performance.now() - from < maxMs) return;
    await nextTurn();
    from = performance.now();
  };
}

/** The items, with a turn of the event loop after each. */
export async function* oncePerTurn<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) {
    yield item;
    await nextTurn();
  }
}
