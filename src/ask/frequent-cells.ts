import { checkLabel } from "../recommend/filters.js";
import type { SearchAnswer } from "./answers.js";
import type { AskDeps } from "./deps.js";

type Found = Omit<SearchAnswer["cells"][number], "rank" | "score">;

/** The cells of a label that stand in most places, of equals those with the smaller id. Goes over the whole index. */
export async function listFrequentCells(
  { store, labeller }: Pick<AskDeps, "store" | "labeller">,
  { label, k }: { readonly label: string; readonly k: number },
  signal?: AbortSignal,
): Promise<Found[]> {
  checkLabel(label, labeller.labels);
  let best: Found[] = [];
  for await (const batch of store.scan()) {
    signal?.throwIfAborted();
    const cells = batch.filter(({ labels }) => labels.includes(label));
    const places = await store.provenance(
      cells.map(({ id }) => id),
      undefined,
      signal,
    );
    const found = cells.flatMap(({ id, code, labels }): Found[] => {
      const { count = 0, first = null } = places.get(id) ?? {};
      if (first === null) return [];
      const { notebook, source, name, cellIndex, facts } = first;
      return [{ id, code, labels, occurrences: count, notebook: { id: notebook, source, name, cellIndex, ...facts } }];
    });
    best = [...best, ...found]
      .sort((one, other) => other.occurrences - one.occurrences || (one.id < other.id ? -1 : 1))
      .slice(0, k);
  }
  return best;
}
