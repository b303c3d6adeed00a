import { setImmediate as nextTurn } from "node:timers/promises";

/** Work on one thing may hold everybody else up for so long. */
const TURN_MS = 8;

/** Call it between two pieces of work: when they have taken long enough, others get their turn. */
export function createTurns(mostMs = TURN_MS): () => Promise<void> {
  let from = performance.now();
  return async () => {
    if (performance.now() - from < mostMs) return;
    await nextTurn();
    from = performance.now();
  };
}
