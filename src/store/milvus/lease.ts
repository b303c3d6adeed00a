import { RecommenderError } from "../../errors.js";
import type { Journal, JournalRow } from "./journal.js";
import { newOwner } from "./journal.js";
import { createPulse, type Mortality, type Pulse } from "./pulse.js";

export interface Lease extends Pulse {
  readonly owner: string;
  /** Set where a deletion was not answered and may still come: then the lease is left to die, and its trash stays until then. */
  isUnsure: boolean;
  /** Makes writers wait; resolves when none is under way any more. `retire` is told of one that died. */
  stopWriters(retire: (dead: readonly JournalRow[]) => Promise<void>): Promise<void>;
  /** Leases whose holders died, and what they may have left behind with them. */
  readonly dead: readonly JournalRow[];
}

export interface LeaseTerms {
  readonly what: string;
  readonly stops: boolean;
}

const LOOK_MS = 100;

export type Leases = ReturnType<typeof createLeases>;

/**
 * One holder at a time, without a server that compares and sets: who wants it writes a claim and then reads all claims, and has it
 * if there is no other; else the claim is withdrawn and made again after a while. Of two who claim at once the later reader
 * sees both claims, so both cannot have it.
 */
export function createLeases(journal: Journal, mortality: Mortality, address: string) {
  const claim = async (terms: LeaseTerms): Promise<Lease | null> => {
    const owner = newOwner();
    await journal.announce("lease", owner, terms);
    const others = (await journal.rows("lease")).filter((row) => row.owner !== owner);
    const dead = others.filter((row) => mortality.isDead(row));
    if (dead.length < others.length) {
      await journal.withdraw("lease", owner);
      return null;
    }
    let stops = terms.stops;
    const pulse = createPulse(mortality, () => journal.announce("lease", owner, { ...terms, stops }));
    return {
      ...pulse,
      owner,
      isUnsure: false,
      dead,
      async stopWriters(retire) {
        stops = true;
        await pulse.beat();
        for (;;) {
          const open = await journal.rows("write", "tidy");
          if (open.length === 0) return;
          const gone = open.filter((row) => mortality.isDead(row));
          if (gone.length > 0) await retire(gone);
          else await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        }
      },
    };
  };

  return {
    /** Null where somebody else has it for longer than `patienceMs`. */
    async take(terms: LeaseTerms, patienceMs: number): Promise<Lease | null> {
      for (const start = Date.now(); ; ) {
        const lease = await claim(terms);
        if (lease !== null || Date.now() - start > patienceMs) return lease;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS * (1 + 4 * Math.random())));
      }
    },

    async release(lease: Lease): Promise<void> {
      await lease.stop();
      await journal.forget(lease.dead);
      await journal.withdraw("lease", lease.owner);
    },

    /** What keeps writers waiting, if anything does. */
    barrier(rows: readonly JournalRow[]): string | null {
      const holding = rows.filter((row) => row.kind === "lease" && !mortality.isDead(row));
      const terms = holding.map(({ about }) => JSON.parse(about) as LeaseTerms);
      return terms.find(({ stops }) => stops)?.what ?? null;
    },

    refusal: (what: string) =>
      new RecommenderError(
        "INDEX_LOCKED",
        `The index in Milvus at ${address} cannot be changed now: another process is about to ${what}. Try again when it is done.`,
      ),
  };
}
