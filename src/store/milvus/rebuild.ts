import type { IndexIdentity } from "../vector-store.js";
import type { Collections } from "./collections.js";
import type { Collector } from "./collector.js";
import type { Generation, Generations } from "./generations.js";
import type { Jobs } from "./jobs.js";
import type { Journal } from "./journal.js";
import type { Lease, Leases } from "./lease.js";
import { findLegacy, type LegacyIndex, legacyContents } from "./legacy.js";
import type { createRewrite, Revise } from "./rewrite.js";
import type { Session } from "./session.js";
import type { Tables } from "./tables.js";

export interface RebuildDeps {
  readonly collections: Collections;
  readonly tables: Tables;
  readonly journal: Journal;
  readonly generations: Generations;
  readonly session: Session;
  readonly leases: Leases;
  readonly collector: Collector;
  readonly rewrites: ReturnType<typeof createRewrite>;
  readonly jobs: Jobs;
  readonly identity: IndexIdentity;
  readonly prefix: string;
  readonly exactLimit: number;
}

/** Replaces the whole index, also one of another identity or an older layout. Writers wait, readers see the old one. */
export function createRebuild(deps: RebuildDeps) {
  const { collections, tables, journal, generations, session, leases, collector, rewrites, jobs } = deps;
  const { identity, prefix, exactLimit } = deps;

  const exclusively = async (what: string, action: (old: Generation | null, lease: Lease) => Promise<Generation>) => {
    if ((await collections.find(journal.name)) === null) await generations.createJournal();
    const next = await jobs.withLease({ what, stops: true }, async (lease) => {
      const old = await generations.find();
      if (old !== null) {
        await lease.stopWriters((dead) => collector.retire(old, dead));
        if (lease.dead.length > 0) await collector.recover(old, lease);
      }
      return action(old, lease);
    });
    if (next === null) throw leases.refusal("rebuild it");
    session.replaceBy(next);
    await generations.sweep(next);
  };

  const rewrite = async (old: Generation, lease: Lease, revise: Revise) => {
    // What nothing holds is not worth its new vector.
    await collector.collect(old, lease);
    const exact = (await tables.count(old.cells, "", "Strong")) <= exactLimit;
    return rewrites.revise(rewrites.contentsOf(old), lease, { identity, exact }, revise);
  };

  const bringOver = async (legacy: LegacyIndex, lease: Lease, revise: Revise) => {
    const exact = (await tables.count(legacy.cells, "", "Strong")) <= exactLimit;
    const next = await rewrites.revise(legacyContents(tables, legacy), lease, { identity, exact }, revise);
    await collections.dropAlias(legacy.alias);
    return next;
  };

  return {
    async rewrite(revise: Revise): Promise<void> {
      const legacy = (await generations.find()) === null ? await findLegacy(collections, prefix) : null;
      if (legacy === null && (await generations.find()) === null) return void (await session.current());
      await exclusively("re-embed it", (old, lease) =>
        old === null ? bringOver(legacy!, lease, revise) : rewrite(old, lease, revise),
      );
    },

    async clear(): Promise<void> {
      const legacy = await findLegacy(collections, prefix);
      await exclusively("empty it", async (_, lease) => {
        const next = await generations.create(identity, true);
        lease.assertAlive();
        await generations.publish(next);
        await journal.forget(await journal.rows("doubt", "trash"));
        if (legacy !== null) await collections.dropAlias(legacy.alias);
        return next;
      });
    },
  };
}
