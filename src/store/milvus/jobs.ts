import type { SettleProgress } from "../vector-store.js";
import type { Collector } from "./collector.js";
import type { Generation, Generations } from "./generations.js";
import type { createGrowth } from "./growth.js";
import type { Journal, JournalRow } from "./journal.js";
import type { Lease, Leases } from "./lease.js";
import type { Mortality } from "./pulse.js";
import type { Session } from "./session.js";
import type { Tables } from "./tables.js";
import type { Tidy } from "./tidy.js";
import type { Done } from "./writes.js";

export interface JobsDeps {
  readonly session: Session;
  readonly journal: Journal;
  readonly mortality: Mortality;
  readonly generations: Generations;
  readonly tables: Tables;
  readonly leases: Leases;
  readonly tidy: Tidy;
  readonly collector: Collector;
  readonly grow: ReturnType<typeof createGrowth>;
  /** Up to this many cells, search is exact; beyond, it goes through a graph. */
  readonly exactLimit: number;
}

/** Where another process holds the lease for longer, the doubts wait for the next collection. */
const LEASE_PATIENCE_MS = 10_000;

export type Jobs = ReturnType<typeof createJobs>;

/** What a write leaves to be done, in the background and one after another. */
export function createJobs(deps: JobsDeps) {
  const { session, journal, mortality, generations, tables, leases, tidy, collector, grow, exactLimit } = deps;
  let background: Promise<unknown> = Promise.resolve();
  let isClosing = false;
  let caretaker: NodeJS.Timeout | undefined;
  /** Some servers have no graph to offer. */
  let hasGraph = true;

  /** What fails is in the journal, and whoever comes next finishes it. */
  const later = (job: () => Promise<unknown>) => {
    background = background.then(job).catch(() => undefined);
  };

  /** Runs the action while nobody else collects or rebuilds. */
  const withLease = async <T>(
    terms: { readonly what: string; readonly stops: boolean },
    action: (lease: Lease) => Promise<T>,
  ): Promise<T | null> => {
    const lease = await leases.take(terms, LEASE_PATIENCE_MS);
    if (lease === null) return null;
    try {
      return await action(lease);
    } finally {
      // One that cannot be released any more dies of itself.
      if (lease.isUnsure) await lease.stop();
      else await leases.release(lease).catch(() => undefined);
    }
  };

  const collect = () =>
    withLease({ what: "remove cells", stops: false }, async (lease) => {
      const generation = await session.current();
      if (lease.dead.length > 0) await collector.recover(generation, lease);
      await collector.collect(generation, lease);
    });

  const isLarge = async ({ cells, exact }: Generation) =>
    exact && hasGraph && (await tables.count(cells, "", "Bounded")) > exactLimit;

  const growIfLarge = async (onProgress?: (progress: SettleProgress) => void) => {
    if (!(await isLarge(await session.current()))) return;
    await withLease({ what: "build its graph", stops: false }, async (lease) => {
      session.forget();
      const old = await session.current();
      // Another process may have built it while this one waited.
      if (!(await isLarge(old))) return;
      if (lease.dead.length > 0) await collector.recover(old, lease);
      const next = await grow(old, lease, ({ done, total }) => {
        if (isClosing) throw new Error("the store is being closed");
        onProgress?.({ phase: "graph", done, total });
      });
      hasGraph = next !== old;
      session.replaceBy(next);
      if (hasGraph) await generations.sweep(next);
    });
  };

  /** Notices processes that died in the middle, and doubts that nobody has cleared up. */
  const takeCare = async () => {
    const rows = await journal.leftovers();
    const isDue = ({ kind }: JournalRow) => kind === "doubt" || kind === "trash";
    // All are looked at, because who is dead shows in that nothing changes between two looks.
    const dead = rows.filter((row) => !isDue(row) && mortality.isDead(row));
    if (dead.length > 0 || rows.some(isDue)) await collect();
  };

  return {
    withLease,

    /** From now on, until `close`, looks after what other processes may leave behind. */
    start(): void {
      caretaker ??= setInterval(() => later(takeCare), mortality.patienceMs).unref();
    },

    /** Tidies up behind a write, and sees whether the index has outgrown exact search. */
    follow({ write, notebooks }: Done<unknown>, added: number): void {
      later(async () => {
        if (await tidy.end(await session.current(), write, notebooks)) await collect();
      });
      if (added > 0) later(() => growIfLarge());
    },

    async settle(onProgress?: (progress: SettleProgress) => void): Promise<void> {
      await background;
      await growIfLarge(onProgress);
    },

    async close(): Promise<void> {
      isClosing = true;
      clearInterval(caretaker);
      await background;
    },
  };
}
