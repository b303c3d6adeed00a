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
  for (;;) {
    const size = diversity > 0 ? count * CHOICE_PER_HIT : count;
    const choice = ranked
      .filter(({ id }) => !refused.has(id))
      .slice(0, size)
      .map((hit) => ({ id: hit.id, score: hit.score, vector: vectors.get(hit.id) ?? null, hit }));
    const chosen = diversify(choice, count, diversity);
    if (chosen.every(({ id }) => accepted.has(id))) return chosen.map(({ id }) => accepted.get(id)!);
    // Where one was refused there may be many: then all that can be chosen from are asked about at once.
    const doubtful = refused.size === 0 ? chosen : choice;
    const asked = new Map(doubtful.flatMap(({ id, hit }) => (accepted.has(id) ? [] : [[id, hit] as const])));
    const cells = await store.cells([...asked.keys()]);
    for (const candidate of await locate(cells.map((cell) => ({ cell, score: asked.get(cell.id)!.score })))) {
      const { id, confidence, why } = asked.get(candidate.cell.id)!;
      accepted.set(id, { ...candidate, confidence, why });
    }
    for (const id of asked.keys()) if (!accepted.has(id)) refused.add(id);
  }
}
