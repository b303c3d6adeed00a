import type { VectorStore } from "../store/vector-store.js";
import { diversify } from "./diversify.js";
import { type Candidate, createLocate, type Located, type LocateOptions } from "./locate.js";
import type { RankedCandidate } from "./rerank.js";

/** Hits that diversity chooses from, for each one shown. */
const CHOICE_PER_HIT = 10;

/**
 * The `count` candidates to show. Chooses by score and vector alone, then looks whether the chosen ones may be shown; one that
 * must not (a copy of a better one, an excluded cell) is refused, and the choice is made again.
 */
export async function selectCandidates(
  store: VectorStore,
  ranked: readonly RankedCandidate[],
  vectors: ReadonlyMap<string, Float32Array>,
  count: number,
  diversity: number,
  options: LocateOptions,
): Promise<Candidate[]> {
  const locate = createLocate(store, options);
  const located = new Map<string, Located>();
  const accepted = new Map<string, Candidate>();
  const refused = new Set<string>();
  const isAccepted = ({ id, confidence, why }: RankedCandidate): boolean => {
    if (accepted.has(id)) return true;
    // One that was removed meanwhile is not found.
    const found = located.get(id);
    const candidate = found === undefined ? null : locate.judge(found);
    if (candidate !== null) accepted.set(id, { ...candidate, confidence, why });
    return candidate !== null;
  };
  for (let asking = count; ; ) {
    const choice = ranked
      .filter(({ id }) => !refused.has(id))
      .slice(0, diversity > 0 ? count * CHOICE_PER_HIT : asking)
      .map((hit) => ({ id: hit.id, score: hit.score, vector: vectors.get(hit.id) ?? null, hit }));
    const chosen = diversify(choice, count, diversity);
    if (chosen.some(({ id }) => !located.has(id))) {
      // Where one is refused there may be more: those that would be chosen next are asked about in the same go.
      const next = diversify(choice, asking, diversity).filter(({ id }) => !located.has(id));
      const scores = new Map(next.map(({ id, score }) => [id, score]));
      const cells = await store.cells([...scores.keys()]);
      for (const found of await locate.find(cells.map((cell) => ({ cell, score: scores.get(cell.id)! }))))
        located.set(found.cell.id, found);
      asking *= 2;
    }
    const wrong = chosen.filter(({ hit }) => !isAccepted(hit));
    if (wrong.length === 0) return chosen.map(({ id }) => accepted.get(id)!);
    for (const { id } of wrong) refused.add(id);
  }
}
