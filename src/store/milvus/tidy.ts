import { isIn, quote } from "./expression.js";
import type { Generation } from "./generations.js";
import type { Journal } from "./journal.js";
import { HEAD_INDEX } from "./rows.js";
import type { Tables } from "./tables.js";
import type { Visibility } from "./visibility.js";
import type { Writes } from "./writes.js";

export interface TidyDeps {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly visibility: Visibility;
  readonly writes: Writes;
}

/** Occurrences of notebooks that no head names any more. */
export function createTidy({ tables, journal, visibility, writes }: TidyDeps) {
  return {
    /**
     * Ends a write: removes what it replaced, or what replaced it. It is no longer open when this looks, so that of two writers of one
     * notebook at least the later to come here sees that the other is done, and tidies up for both. Returns whether cells
     * may have lost their last occurrence.
     */
    async end(generation: Generation, write: string, notebooks: readonly string[]): Promise<boolean> {
      await journal.announce("tidy", write, notebooks);
      const hasDoubts = await removeStale(generation, write, notebooks);
      await journal.withdraw("tidy", write);
      return hasDoubts;
    },
  };

  async function removeStale(generation: Generation, write: string, notebooks: readonly string[]): Promise<boolean> {
    const foreign = `${isIn("notebook", notebooks)} and cell_index != ${HEAD_INDEX} and write != ${quote(write)}`;
    const [heads, others] = await Promise.all([
      visibility.writesOf(generation, notebooks, "Strong"),
      tables.count(generation.occurrences, foreign, "Strong"),
    ]);
    if (others === 0 && notebooks.every((notebook) => heads.get(notebook) === write)) return false;
    // First the rows, then the journal: a write that is seen here and not open there is over, and its heads are there.
    const rows = await writes.occurrencesOf(generation, notebooks, 'write != ""');
    const [counting, under] = await Promise.all([
      visibility.writesOf(generation, notebooks, "Strong"),
      journal.rows("write"),
    ]);
    const open = new Set(under.map(({ owner }) => owner));
    const isCounting = (row: (typeof rows)[number]) => counting.get(row.notebook) === row.write;
    const stale = rows.filter((row) => !isCounting(row) && !open.has(row.write));
    if (stale.length === 0) return false;
    const kept = new Set(rows.filter(isCounting).map(({ cell_id }) => cell_id));
    await journal.doubt(
      write,
      stale.map(({ cell_id }) => cell_id).filter((cell) => !kept.has(cell)),
    );
    await tables.remove(
      generation.occurrences,
      stale.map(({ id }) => id),
    );
    return true;
  }
}

export type Tidy = ReturnType<typeof createTidy>;
