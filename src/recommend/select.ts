import { dot } from "../embed/embedder.js";
import type { Exclusion, Hit, Occurrence, Provenance, StoredCell, VectorStore } from "../store/vector-store.js";
import { type Clock, createClock } from "./clock.js";
import type { Ranking } from "./continuing.js";
import type { RankedCandidate } from "./rerank.js";

/** A stored cell that may be shown, with its provenance. */
export interface Candidate {
  readonly cell: StoredCell;
  readonly score: number;
  readonly confidence: number | null;
  /** The contribution of each feature to the score. */
  why(): Record<string, number>;
  readonly occurrences: number;
  /** How many further candidates add the same code with other literals. */
  readonly variants: number;
  /** The occurrence to show. */
  readonly occurrence: Occurrence;
}

export interface CandidateOptions {
  readonly exclude?: Exclusion;
  /** Keep only the best of several cells with equal cleaned text or equal added code. */
  readonly collapse: boolean;
  /**
   * The code that a cell adds to the typed code. Cells that add nothing are not shown. By default, the cleaned text of
   * the cell.
   */
  readonly addedCode?: (cell: StoredCell) => string;
  /** The key by which added code is compared; by default the text. */
  readonly addedKey?: (added: string) => string;
}

/** Number of candidates per shown hit that the diversity step chooses from. */
const CHOICE_PER_HIT = 10;

/**
 * Selects `count` candidates by score and diversity, then checks whether each may be shown. If one may not be shown (a
 * copy of a better candidate, an excluded cell), it is dropped and the selection is repeated.
 */
export async function selectCandidates(
  store: VectorStore,
  ranking: Pick<Ranking, "first">,
  vectors: ReadonlyMap<string, Float32Array>,
  count: number,
  diversity: number,
  options: CandidateOptions,
  clock: Pick<Clock, "time" | "timeAsync"> = createClock(),
): Promise<Candidate[]> {
  const resolver = createProvenanceResolver(store, options);
  const resolved = new Map<string, ResolvedCell>();
  const accepted = new Map<string, Candidate>();
  const refused = new Set<string>();
  const isAccepted = ({ id, confidence, why }: RankedCandidate): boolean => {
    if (accepted.has(id)) return true;
    // The cell may have been deleted since the search.
    const found = resolved.get(id);
    const candidate = found === undefined ? null : resolver.accept(found);
    if (candidate !== null) accepted.set(id, { ...candidate, confidence, why });
    return candidate !== null;
  };
  for (let asking = count; ; ) {
    const width = diversity > 0 ? count * CHOICE_PER_HIT : asking;
    const choice = (await ranking.first(width + refused.size))
      .filter(({ id }) => !refused.has(id))
      .slice(0, width)
      .map((hit) => ({ id: hit.id, score: hit.score, vector: vectors.get(hit.id) ?? null, hit }));
    const chosen = diversify(choice, count, diversity);
    if (chosen.some(({ id }) => !resolved.has(id))) {
      // More candidates may have to be dropped, so the next ones are looked up in the same call.
      const next = diversify(choice, asking, diversity).filter(({ id }) => !resolved.has(id));
      const scores = new Map(next.map(({ id, score }) => [id, score]));
      const found = await clock.timeAsync("select", async () => {
        const cells = await store.cells([...scores.keys()]);
        return resolver.resolve(cells.map((cell) => ({ cell, score: scores.get(cell.id)! })));
      });
      for (const each of found) resolved.set(each.cell.id, each);
      asking *= 2;
    }
    const wrong = clock.time("select", () => chosen.filter(({ hit }) => !isAccepted(hit)));
    if (wrong.length === 0)
      return chosen.map(({ id }) => ({ ...accepted.get(id)!, variants: resolver.variantsOf(id) }));
    for (const { id } of wrong) refused.add(id);
  }
}

/**
 * Returns the best `count` candidates of `search`. Excluded cells and copies do not count, so the search is repeated
 * with a larger k until there are enough hits or no more.
 */
export async function gather(
  store: VectorStore,
  search: (k: number) => Promise<Hit[]>,
  count: number,
  options: CandidateOptions,
): Promise<Candidate[]> {
  for (let fetch = count + Math.max(8, Math.ceil(count / 4)); ; fetch *= 2) {
    // The hits of a smaller search are not reused: a larger search is more exact, and the store may have changed.
    const hits = await search(fetch);
    const cells = new Map((await store.cells(hits.map(({ id }) => id))).map((cell) => [cell.id, cell]));
    const known = hits.flatMap(({ id, score }) => (cells.has(id) ? [{ cell: cells.get(id)!, score }] : []));
    const { resolve, accept } = createProvenanceResolver(store, options);
    const candidates = (await resolve(known)).flatMap((cell) => accept(cell) ?? []);
    if (candidates.length >= count || hits.length < fetch) return candidates.slice(0, count);
  }
}

/** A cell with its provenance. */
interface ResolvedCell {
  readonly cell: StoredCell;
  readonly score: number;
  readonly provenance: Provenance | undefined;
}

/** Looks up the provenance of cells, and decides which of them may be shown. */
function createProvenanceResolver(
  store: VectorStore,
  { exclude, collapse, addedCode, addedKey = String }: CandidateOptions,
) {
  const texts = new Set<string>();
  /** Maps each key to the id of the shown cell; `variants` counts the other cells with the same key. */
  const shown = new Map<string, string>();
  const variants = new Map<string, number>();
  return {
    async resolve(hits: readonly { readonly cell: StoredCell; readonly score: number }[]): Promise<ResolvedCell[]> {
      const ids = hits.map(({ cell }) => cell.id);
      const provenances = await store.provenance(ids, exclude);
      return hits.map(({ cell, score }) => ({ cell, score, provenance: provenances.get(cell.id) }));
    },

    variantsOf: (id: string) => variants.get(id) ?? 0,

    /**
     * Null for a cell that must not be shown: it has no occurrence left, adds nothing, or is a copy of an accepted
     * cell. Call it only for cells that would be shown, because computing the added code is slow.
     */
    accept({ cell, score, provenance }: ResolvedCell): Candidate | null {
      if (provenance === undefined || provenance.first === null || (collapse && texts.has(cell.clean))) return null;
      const added = addedCode?.(cell) ?? cell.clean;
      if (added === "") return null;
      const key = addedKey(added);
      const same = collapse ? shown.get(key) : undefined;
      if (same !== undefined) {
        variants.set(same, (variants.get(same) ?? 0) + 1);
        return null;
      }
      texts.add(cell.clean);
      shown.set(key, cell.id);
      const { count: occurrences, first: occurrence } = provenance;
      return { cell, score, confidence: null, why: () => ({}), occurrences, variants: 0, occurrence };
    },
  };
}

interface Diversifiable {
  readonly id: string;
  readonly score: number;
  readonly vector: Float32Array | null;
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein, 1998): each next hit is the one with the best
 * (1 - diversity) x relevance - diversity x highest cosine to those already chosen. Relevance is the score between the
 * worst (0) and the best (1) of the list, so that it is on the cosine's scale. 0 leaves the order as it is.
 */
export function diversify<T extends Diversifiable>(hits: readonly T[], k: number, diversity: number): T[] {
  if (diversity <= 0 || hits.length < 2) return hits.slice(0, k);
  const scores = hits.map(({ score }) => score);
  const worst = Math.min(...scores);
  const range = Math.max(...scores) - worst || 1;
  const left = hits.map((hit) => ({ hit, relevance: (hit.score - worst) / range, likeness: 0 }));
  const chosen: T[] = [];
  while (chosen.length < k && left.length > 0) {
    let best = 0;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (const [at, { relevance, likeness }] of left.entries()) {
      const value = (1 - diversity) * relevance - diversity * likeness;
      if (value <= bestValue) continue;
      best = at;
      bestValue = value;
    }
    const [{ hit }] = left.splice(best, 1) as [(typeof left)[number]];
    chosen.push(hit);
    for (const other of left) other.likeness = Math.max(other.likeness, dot(hit.vector, other.hit.vector));
  }
  return chosen;
}
