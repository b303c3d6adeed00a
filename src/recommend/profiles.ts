import { LRUCache } from "lru-cache";
import { type CellProfile, profileCell } from "./features/profile.js";

/** Raw cells by id, as a store gives them; unknown ids are left out. */
export type ReadCodes = (ids: readonly string[]) => Promise<readonly { readonly id: string; readonly code: string }[]>;

/** Profiles of cells. A cell's id is the hash of its code, so what is remembered never gets old. */
export interface Profiles {
  /** The profiles of these cells; `read` is asked, once, for the code of those that are not remembered. */
  find(ids: readonly string[], read: ReadCodes): Promise<ReadonlyMap<string, CellProfile>>;
  /** Profiles a cell before it is asked for; false when the memory is full. */
  learn(id: string, code: string): boolean;
}

/** What JavaScript needs for a profile beside its numbers: eight typed arrays, an object, an entry with its key. */
const OVERHEAD = 1000;

/** Remembers profiles up to `maxBytes`, those used last. Whoever asked keeps what was found, whatever is forgotten meanwhile. */
export function createProfiles(maxBytes: number): Profiles {
  const remembered = new LRUCache<string, CellProfile>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  return {
    async find(ids, read) {
      const found = new Map<string, CellProfile>();
      const unknown: string[] = [];
      for (const id of ids) {
        const profile = remembered.get(id);
        if (profile === undefined) unknown.push(id);
        else found.set(id, profile);
      }
      for (const { id, code } of unknown.length === 0 ? [] : await read(unknown)) {
        const profile = profileCell(code);
        remembered.set(id, profile);
        found.set(id, profile);
      }
      return found;
    },
    learn(id, code) {
      const profile = profileCell(code);
      if (remembered.calculatedSize + sizeOf(profile) > maxBytes) return false;
      remembered.set(id, profile);
      return true;
    },
  };
}

function sizeOf({ words, fixed, lines, shapes, ends, calls, remarks }: CellProfile): number {
  const arrays = [words, fixed, lines, shapes, ends, calls, remarks];
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, OVERHEAD);
}
