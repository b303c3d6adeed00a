import { hashText } from "../python/profile.js";
import { subwords } from "../python/subwords.js";
import { mayHaveWords } from "../store/profile-pack.js";
import type { Occurrence, VectorStore } from "../store/vector-store.js";

/** Maximum number of cells above an occurrence that are searched, nearest first. */
const MAX_ABOVE = 60;

/**
 * Reads the cells above an occurrence. Only cells whose profile may contain a wanted name are read, each at most once.
 */
export async function findCellsAbove(store: VectorStore, { notebook, cellIndex }: Occurrence) {
  const found = await store.notebook(notebook);
  const above = (found?.cells ?? []).filter((cell) => cell.cellIndex < cellIndex).map(({ id }) => id);
  const ids = [...new Set(above.slice(-MAX_ABOVE))];
  const profiles = (await store.profiles?.(ids)) ?? new Map<string, Uint8Array>();
  const codes = new Map<string, string>();
  return {
    /** The code of the cells that may contain one of the names, nearest last. */
    async withAny(names: ReadonlySet<string>): Promise<string[]> {
      const wanted = [...names].map((name) => subwords(name).map(hashText));
      const mayHaveOne = (id: string) => {
        const profile = profiles.get(id);
        return profile === undefined || wanted.some((words) => mayHaveWords(profile, words));
      };
      const unread = ids.filter((id) => !codes.has(id) && mayHaveOne(id));
      for (const { id, code } of unread.length === 0 ? [] : await store.cells(unread)) codes.set(id, code);
      return above.flatMap((id) => codes.get(id) ?? []);
    },
  };
}

export type CellsAbove = Awaited<ReturnType<typeof findCellsAbove>>;
