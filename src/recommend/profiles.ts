import { LRUCache } from "lru-cache";
import { unpackProfile } from "../profile/pack.js";
import { type CellProfile, profileCell } from "../profile/profile.js";
import type { VectorStore } from "../store/vector-store.js";

/** Where profiles come from: those that the store keeps, the others from the code of the cells. */
export type ProfileSource = Pick<VectorStore, "cells" | "profiles">;

/** Profiles of cells. A cell's id is the hash of its code, so what is remembered never gets old. */
export interface Profiles {
  /** The profiles of these cells; the store is asked, once, for those that are not remembered. Unknown cells are left out. */
  find(ids: readonly string[], store: ProfileSource, signal?: AbortSignal): Promise<ReadonlyMap<string, CellProfile>>;
}

/** What JavaScript needs for a profile beside its numbers: eight typed arrays, an object, an entry with its key. */
const OVERHEAD = 1000;

/** Remembers profiles up to `maxBytes`, those used last. Whoever asked keeps what was found, whatever is forgotten meanwhile. */
export function createProfiles(maxBytes: number): Profiles {
  const remembered = new LRUCache<string, CellProfile>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  return {
    async find(ids, store, signal) {
      const found = new Map<string, CellProfile>();
      const learn = (id: string, profile: CellProfile) => {
        remembered.set(id, profile);
        found.set(id, profile);
      };
      const unknown: string[] = [];
      for (const id of ids) {
        const profile = remembered.get(id);
        if (profile === undefined) unknown.push(id);
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
  const arrays = [words, fixed, lines, shapes, ends, calls, remarks];
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, OVERHEAD);
}
