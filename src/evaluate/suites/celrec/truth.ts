/** One mutant of a seed, as the index holds it. */
export interface MutantTruth {
  /** 1..m: the mutant has the first `mutant` operators. */
  readonly mutant: number;
  /** The last operator applied. */
  readonly operator: string;
  readonly rating: number;
  readonly id: string;
}

/** What is known of a seed: the answers that its queries should get. */
export interface SeedTruth {
  readonly seed: string;
  /** Hex sha-256 of the seed's source: two runs asked the same only where these are equal. */
  readonly hash: string;
  /** Number of its queries. */
  readonly lines: number;
  readonly mutants: readonly MutantTruth[];
  /** Cells that look alike and do something else, rated 1. */
  readonly hardNegatives?: readonly { readonly operator: string; readonly id: string }[] | undefined;
}

/** The distinct cells of a seed's mutants; where two mutants are one cell, the higher rating counts. Best first. */
export function relevantCells(mutants: readonly MutantTruth[]): MutantTruth[] {
  const best = new Map<string, MutantTruth>();
  for (const mutant of mutants) {
    const known = best.get(mutant.id);
    if (known === undefined || known.rating < mutant.rating) best.set(mutant.id, mutant);
  }
  return [...best.values()].sort((a, b) => b.rating - a.rating || a.mutant - b.mutant);
}

/**
 * The list with every cell once, at its first rank; later cells move up. A target that repeats a cell wastes a rank,
 * and nothing else.
 */
export function deduplicate<T extends { readonly id: string }>(hits: readonly T[]): T[] {
  const seen = new Set<string>();
  return hits.filter(({ id }) => !seen.has(id) && seen.add(id));
}
