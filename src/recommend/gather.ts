import type { Hit, VectorStore } from "../store/vector-store.js";
import { type Candidate, createLocate, type LocateOptions } from "./locate.js";

/**
 * The best `count` candidates that `search` finds. A cell with no occurrence left, and a copy of a better one, do not count, so it
 * asks for more until there are enough or no more.
 */
export async function gather(
  store: VectorStore,
  search: (k: number) => Promise<Hit[]>,
  count: number,
  options: LocateOptions,
): Promise<Candidate[]> {
  for (let fetch = count + Math.max(8, Math.ceil(count / 4)); ; fetch *= 2) {
    // A larger search need not start with what the smaller one found: it approximates less, and others write meanwhile.
    const hits = await search(fetch);
    const cells = new Map((await store.cells(hits.map(({ id }) => id))).map((cell) => [cell.id, cell]));
    const known = hits.flatMap(({ id, score }) => (cells.has(id) ? [{ cell: cells.get(id)!, score }] : []));
    const { find, judge } = createLocate(store, options);
    const candidates = (await find(known)).flatMap((located) => judge(located) ?? []);
    if (candidates.length >= count || hits.length < fetch) return candidates.slice(0, count);
  }
}
