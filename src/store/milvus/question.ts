import { isPackedProfile } from "../profile-pack.js";
import type { VectorStore } from "../vector-store.js";
import type { Generations } from "./generations.js";
import type { Generation } from "./journal.js";
import { nextCellsOf, provenanceOf } from "./reads.js";
import type { createSearch, Findings } from "./row-search.js";
import { type FoundRow, profileOf, toStoredCell, vectorOf } from "./rows.js";

interface QuestionDeps {
  readonly store: VectorStore;
  readonly search: ReturnType<typeof createSearch>;
  readonly generations: Generations;
  /** Returns one row of each of these cells. */
  readonly read: (generation: Generation, ids: readonly string[]) => Promise<ReadonlyMap<string, FoundRow>>;
  readonly abortable: <T>(signal: AbortSignal | undefined, action: () => Promise<T>) => Promise<T>;
}

interface Remembered {
  readonly rows: Map<string, FoundRow>;
  /** Whether all rows of the cell that pass the filter were found. */
  isComplete: boolean;
}

/**
 * A view of the store for one question. A found row has all fields that ranking and the answer need, so it is read only
 * once. With a graph, copies of a cell that the search missed are not counted.
 */
export function createQuestionStore({ store, search, generations, read, abortable }: QuestionDeps): VectorStore {
  const known = new Map<string, Remembered>();

  const findings: Findings = {
    add(rows, isComplete) {
      for (const row of rows) {
        const cell = known.get(row.content) ?? { rows: new Map(), isComplete: false };
        known.set(row.content, cell);
        cell.rows.set(row.id, row);
        cell.isComplete ||= isComplete(row);
      }
    },
  };
  const { use } = generations;
  let loading: Promise<void> = Promise.resolve();
  /** Loads cells one request after another, so that two requests at once do not read the same cells twice. */
  const load = (ids: readonly string[], signal: AbortSignal | undefined) => {
    loading = loading.catch(() => undefined).then(() => loadUnknown(ids, signal));
    return loading;
  };
  const loadUnknown = async (ids: readonly string[], signal: AbortSignal | undefined) => {
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length === 0) return;
    const rows = await abortable(signal, () => use((generation) => read(generation, unknown)));
    findings.add([...rows.values()], () => false);
  };
  const first = (id: string): FoundRow | undefined => known.get(id)?.rows.values().next().value;

  return {
    ...store,
    search: (query, signal) => abortable(signal, () => use((generation) => search.search(generation, query, findings))),
    lexical: (query, signal) =>
      abortable(signal, () => use((generation) => search.lexical(generation, query, findings))),
    pool: (query, signal) => abortable(signal, () => use((generation) => search.pool(generation, query, findings))),
    async cells(ids, signal) {
      await load(ids, signal);
      return ids.flatMap((id) => {
        const row = first(id);
        return row === undefined ? [] : [toStoredCell(row)];
      });
    },
    async roughVectors(ids, signal) {
      await load(ids, signal);
      return new Map(
        ids.flatMap((id) => {
          const row = first(id);
          return row === undefined ? [] : [[id, vectorOf(row)] as const];
        }),
      );
    },
    async profiles(ids, signal) {
      await load(ids, signal);
      return new Map(
        ids.flatMap((id) => {
          const row = first(id);
          const profile = row && profileOf(row);
          return profile && isPackedProfile(profile) ? [[id, profile] as const] : [];
        }),
      );
    },
    async provenance(ids, exclude = {}, signal) {
      const seen = ids.filter((id) => known.get(id)?.isComplete);
      const unseen = ids.filter((id) => !known.get(id)?.isComplete);
      const rows = seen.flatMap((id) => [...known.get(id)!.rows.values()]);
      const found = provenanceOf(rows, exclude);
      if (unseen.length === 0) return found;
      return new Map([...found, ...(await store.provenance(unseen, exclude, signal))]);
    },
    async nextCells(ids, exclude = {}, signal) {
      const unseen = ids.filter((id) => !known.has(id));
      const rows = ids.flatMap((id) => [...(known.get(id)?.rows.values() ?? [])]);
      const found = nextCellsOf(rows, exclude);
      return unseen.length === 0 ? found : [...found, ...(await store.nextCells(unseen, exclude, signal))];
    },
  };
}
