import { LRUCache } from "lru-cache";
import { profileCell } from "../python/profile.js";
import { packProfile } from "../store/profile-pack.js";
import type { VectorStore } from "../store/vector-store.js";

/** The part of a store from which profiles are read, or computed from the code of cells that have none. */
export type ProfileSource = Pick<VectorStore, "cells" | "profiles">;

/** Looks up packed profiles of cells. */
export interface Profiles {
  /**
   * The profiles of these cells. Missing profiles are computed from the code, which is read in one call. Unknown cells
   * are left out.
   */
  find(ids: readonly string[], store: ProfileSource, signal?: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Memory overhead of a cache entry, in bytes. */
const OVERHEAD = 300;

/**
 * Caches computed profiles, up to `maxBytes`: while a user types, the same cells are needed again and again. A cached
 * profile never becomes stale, because a cell's id is the hash of its code.
 */
export function createProfiles(maxBytes: number): Profiles {
  const made = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => length + OVERHEAD,
  });
  return {
    async find(ids, store, signal) {
      const found = new Map(await store.profiles?.(ids, signal));
      if (found.size === ids.length) return found;
      const bare: string[] = [];
      for (const id of ids) {
        const known = found.has(id) ? undefined : made.get(id);
        if (known !== undefined) found.set(id, known);
        else if (!found.has(id)) bare.push(id);
      }
      if (bare.length === 0) return found;
      for (const { id, code } of await store.cells(bare, signal)) {
        const profile = packProfile(profileCell(code));
        made.set(id, profile);
        found.set(id, profile);
      }
      return found;
    },
  };
}
