import { performance } from "node:perf_hooks";
import { RecommenderError } from "../../errors.js";
import type { JournalRow } from "./journal.js";

/** A sign of life that is repeated until `stop`. */
export interface Pulse {
  beat(): Promise<void>;
  /** Throws where the last sign is so old that others may count this process as dead. Asked before what cannot be undone. */
  assertAlive(): void;
  /** Resolves when no sign is on its way any more. */
  stop(): Promise<void>;
}

export interface Mortality {
  readonly patienceMs: number;
  isDead(row: JournalRow): boolean;
}

const BEATS_PER_PATIENCE = 6;
/** Clocks of two machines may differ by less than this many times the patience. */
const CLOCKS_DIFFER = 10;

/**
 * Tells the dead from the slow. A row counts as dead when its beat did not change for as long as the patience while this process
 * looked, or when it is so old that no difference between two clocks explains it.
 */
export function createMortality(patienceMs: number): Mortality {
  const seen = new Map<string, { readonly beat: number; readonly since: number }>();
  return {
    patienceMs,
    isDead({ id, beat }) {
      const now = performance.now();
      const before = seen.get(id);
      if (before === undefined || before.beat !== Number(beat)) seen.set(id, { beat: Number(beat), since: now });
      else if (now - before.since > patienceMs) return true;
      return Date.now() - Number(beat) > CLOCKS_DIFFER * patienceMs;
    },
  };
}

/** Says at regular intervals that this process lives; `announce` has been called once already. */
export function createPulse({ patienceMs }: Mortality, announce: () => Promise<void>): Pulse {
  let last = performance.now();
  let beating: Promise<void> = Promise.resolve();
  const beat = async () => {
    const start = performance.now();
    await announce();
    last = start;
  };
  const timer = setInterval(() => {
    // A beat that fails is one that others do not see, which `assertAlive` finds out.
    beating = beat().catch(() => undefined);
  }, patienceMs / BEATS_PER_PATIENCE);
  timer.unref();
  return {
    beat,
    assertAlive() {
      if (performance.now() - last > patienceMs / 2) {
        const message =
          "Milvus took so long that other writers may count this one as dead; nothing was changed. Try again.";
        throw new RecommenderError("STORE_UNAVAILABLE", message);
      }
    },
    async stop() {
      clearInterval(timer);
      await beating;
    },
  };
}
