import { UNRELATED } from "../../metrics/relevance.js";
import { groupBy } from "../../statistics/group-by.js";
import type { CelrecResult } from "./document.js";
import type { QueryOutcome } from "./outcome.js";
import { relevantCells, type SeedTruth } from "./truth.js";

type OperatorRow = CelrecResult["byOperator"][number];

/** One query that could have found one cell. Rank 0: it did not. */
interface Chance {
  readonly label: string | null;
  readonly rank: number;
}

/** What an operator made: the cell of each seed that it changed. */
interface Product {
  readonly operator: string;
  readonly mutant: number | null;
  readonly rating: number;
  readonly cells: ReadonlyMap<string, string>;
}

/**
 * Which mutants were found: one row per operator in the order of application, then the hard negatives. A mutant that is
 * the same cell as a better rated one of its seed counts there, and not twice.
 */
export function foundByOperator(seeds: readonly SeedTruth[], outcomes: readonly QueryOutcome[]): OperatorRow[] {
  return productsOf(seeds).map((product) => toRow(product, chancesOf(product, outcomes)));
}

function productsOf(seeds: readonly SeedTruth[]): Product[] {
  const made = seeds.flatMap(({ seed, mutants, hardNegatives = [] }) => [
    ...relevantCells(mutants).map((one) => ({ ...one, seed })),
    ...hardNegatives.map((one) => ({ ...one, seed, mutant: null, rating: UNRELATED })),
  ]);
  return [...groupBy(made, ({ operator, mutant }) => `${mutant ?? ""} ${operator}`).values()]
    .map((group) => ({
      operator: group[0]!.operator,
      mutant: group[0]!.mutant,
      rating: group[0]!.rating,
      cells: new Map(group.map(({ seed, id }) => [seed, id])),
    }))
    .sort((a, b) => (a.mutant ?? Number.POSITIVE_INFINITY) - (b.mutant ?? Number.POSITIVE_INFINITY) || 0);
}

function chancesOf({ cells }: Product, outcomes: readonly QueryOutcome[]): Chance[] {
  return outcomes.flatMap(({ seed, label, results }) => {
    const wanted = cells.get(seed);
    return wanted === undefined ? [] : [{ label, rank: results.findIndex(({ id }) => id === wanted) + 1 }];
  });
}

function toRow({ operator, mutant, rating, cells }: Product, chances: readonly Chance[]): OperatorRow {
  const found = chances.filter(({ rank }) => rank > 0);
  const ranks = found.reduce((sum, { rank }) => sum + rank, 0);
  return {
    operator,
    mutant,
    rating,
    cells: cells.size,
    ...share(chances),
    meanRank: found.length === 0 ? null : ranks / found.length,
    byLabel: [...groupBy(chances, ({ label }) => label)].map(([label, group]) => ({ label, ...share(group) })),
  };
}

function share(chances: readonly Chance[]): { queries: number; found: number } {
  const found = chances.filter(({ rank }) => rank > 0).length;
  return { queries: chances.length, found: chances.length === 0 ? 0 : found / chances.length };
}
