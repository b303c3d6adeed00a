import { dot } from "../embed/vectors.js";

export interface Diversifiable {
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
