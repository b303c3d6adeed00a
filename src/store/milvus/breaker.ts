import { performance } from "node:perf_hooks";

/** The pause between two questions to a server that is gone; half of it is chance, so that many clients do not ask in step. */
const LEAST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 2_000;

/** Remembers that a server is gone, so that callers need not find out one by one, and lets one at a time ask again. */
export function createBreaker() {
  let pause = 0;
  let askAt = 0;

  const wait = () => {
    pause = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, 2 * pause));
    askAt = performance.now() + pause * (0.5 + Math.random() / 2);
  };
  return {
    isOpen: () => pause > 0,
    open: wait,
    close() {
      pause = 0;
    },
    /** Whether the caller is the one that asks now; the next one may after another pause. */
    mayAsk(): boolean {
      if (performance.now() < askAt) return false;
      wait();
      return true;
    },
  };
}
