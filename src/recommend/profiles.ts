import { type CellProfile, profileCell } from "../python/profile.js";
import { unpackProfile } from "../store/profile-pack.js";
import type { VectorStore } from "../store/vector-store.js";

/** Where profiles come from: those that the store keeps, the others from the code of the cells. */
export type ProfileSource = Pick<VectorStore, "cells" | "profiles">;

/** Profiles of cells. An id is the hash of the code, so cached profiles never become stale. */
export interface Profiles {
  /** The profiles of these cells; the store is asked, once, for those that are not remembered. Unknown cells are left out. */
  find(ids: readonly string[], store: ProfileSource, signal?: AbortSignal): Promise<ReadonlyMap<string, CellProfile>>;
}

/** What JavaScript needs for a profile beside its numbers: eight typed arrays, an object, an entry with its key. */
const OVERHEAD = 1000;

/**
 * Caches profiles up to `maxBytes`. In two generations: a used profile moves to the fresh one; when that is full, the
 * stale one is dropped. A true LRU order would cost more than the lookups.
 */
export function createProfiles(maxBytes: number): Profiles {
  let fresh = new Map<string, CellProfile>();
  let stale = new Map<string, CellProfile>();
  let bytes = 0;
  const remember = (id: string, profile: CellProfile) => {
    const size = sizeOf(profile);
    if (bytes + size > maxBytes / 2) {
      stale = fresh;
      fresh = new Map();
      bytes = 0;
    }
    if (size > maxBytes / 2) return;
    fresh.set(id, profile);
    bytes += size;
  };
  return {
    async find(ids, store, signal) {
      const found = new Map<string, CellProfile>();
      const learn = (id: string, profile: CellProfile) => {
        remember(id, profile);
        found.set(id, profile);
      };
      const unknown: string[] = [];
      for (const id of ids) {
        const known = fresh.get(id);
        const profile = known ?? stale.get(id);
        if (profile === undefined) unknown.push(id);
        else if (known === undefined) learn(id, profile);
        else found.set(id, profile);
      }
      if (unknown.length === 0) return found;
      for (const [id, packed] of (await store.profiles?.(unknown, signal)) ?? []) {
        const profile = unpackProfile(packed);
        if (profile !== null) learn(id, profile);
      }
      const bare = unknown.filter((id) => !found.has(id));
      if (bare.length === 0) return found;
      for (const { id, code } of await store.cells(bare, signal)) learn(id, profileCell(code));
      return found;
    },
  };
}

function sizeOf({ words, fixed, lines, shapes, ends, calls, remarks }: CellProfile): number {
  const numbers = words.length + lines.length + shapes.length + ends.length + calls.length + remarks.length;
  return 4 * numbers + fixed.length + OVERHEAD;
}
