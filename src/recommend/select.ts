import type { VectorStore } from "../store/vector-store.js";
import { diversify } from "./diversify.js";
import { type Candidate, createLocate, type LocateOptions } from "./locate.js";
import type { RankedCandidate } from "./rerank.js";

/** Hits that diversity chooses from, for each one shown. */
const CHOICE_PER_HIT = 10;

/**
 * The `count` candidates to show. Chooses by score and vector alone, then asks the store where the chosen ones stand; those
 * that must not be shown (a copy of a better one, an excluded cell) are refused, and the choice is made again.
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
  const accepted = new Map<string, Candidate>();
  const refused = new Set<string>();
  for (let asking = count; ; asking *= 2) {
    const size = diversity > 0 ? count * CHOICE_PER_HIT : count;
    const choice = ranked
      .filter(({ id }) => !refused.has(id))
      .slice(0, size)
      .map((hit) => ({ id: hit.id, score: hit.score, vector: vectors.get(hit.id) ?? null, hit }));
    // Where one was refused there may be more: then those that would be chosen next are asked about, too.
    const next = diversify(choice, asking, diversity);
    const chosen = next.slice(0, count);
    if (chosen.every(({ id }) => accepted.has(id))) return chosen.map(({ id }) => accepted.get(id)!);
    const asked = new Map(next.flatMap(({ id, hit }) => (accepted.has(id) ? [] : [[id, hit] as const])));
    const cells = await store.cells([...asked.keys()]);
    for (const candidate of await locate(cells.map((cell) => ({ cell, score: asked.get(cell.id)!.score })))) {
      const { id, confidence, why } = asked.get(candidate.cell.id)!;
      accepted.set(id, { ...candidate, confidence, why });
    }
    for (const id of asked.keys()) if (!accepted.has(id)) refused.add(id);
  }
}
