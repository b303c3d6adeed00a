import { cellId } from "../../../notebook/extract.js";
import { strip } from "../../../python/strip.js";
import { isRelevant, PAPER_SCALE, type RatingScale } from "../../metrics/metric.js";
import type { TargetHit } from "../../target.js";
import type { JudgedHit } from "./celrec-result.js";

/** A mutant, or another cell of the index. */
interface KnownMutant {
  readonly id: string;
  readonly seed: string;
  readonly mutant: number;
  readonly rating: number;
}

interface JudgedSeed {
  readonly truth: SeedTruth;
  /** Code of each mutant, by id. */
  readonly codes: ReadonlyMap<string, string>;
}

type Judge = (seed: string, hits: readonly TargetHit[]) => JudgedHit[];

/**
 * Identifies a returned cell: the cell with exactly this text, else the highest-rated mutant of the query's seed with
 * the same cleaned text that was not returned before. A mutant of another seed counts as unrelated.
 */
export function createJudge(seeds: readonly JudgedSeed[], { unrelated }: RatingScale = PAPER_SCALE): Judge {
  const byId = new Map<string, KnownMutant[]>();
  const byClean = new Map<string, KnownMutant[]>();
  for (const { truth, codes } of seeds) {
    for (const { id, mutant, rating } of truth.mutants) {
      const known = { id, seed: truth.seed, mutant, rating };
      addMutant(byId, id, known);
      addMutant(byClean, `${truth.seed}\n${strip(codes.get(id)!).text}`, known);
    }
  }
  return (seed, hits) => {
    const used = new Set<string>();
    return hits.map(({ code, score, confidence }) => {
      const exact = cellId(code);
      const same = byId.get(exact) ?? unusedMutants(byClean.get(`${seed}\n${strip(code).text}`), used);
      const best = pickMutant(same, seed);
      const id = best?.id ?? exact;
      used.add(id);
      const rating = best !== null && best.seed === seed ? best.rating : unrelated;
      return { id, seed: best?.seed ?? null, mutant: best?.mutant ?? null, rating, score, confidence };
    });
  };
}

/** If seeds share a mutant, the query's own seed counts. */
function pickMutant(mutants: readonly KnownMutant[], seed: string): KnownMutant | null {
  const ofSeed = mutants.filter((mutant) => mutant.seed === seed).sort((a, b) => b.rating - a.rating);
  return ofSeed[0] ?? mutants[0] ?? null;
}

function unusedMutants(mutants: readonly KnownMutant[] = [], used: ReadonlySet<string>): KnownMutant[] {
  return mutants.filter(({ id }) => !used.has(id));
}

function addMutant(map: Map<string, KnownMutant[]>, key: string, mutant: KnownMutant): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [mutant]);
  else known.push(mutant);
}

/** One mutant of a seed, as stored in the index. */
interface MutantTruth {
  /** The number of the mutant, 1..m: the number of operators that were applied. */
  readonly mutant: number;
  /** The last operator applied. */
  readonly operator: string;
  readonly rating: number;
  readonly id: string;
}

/** The ground truth of a seed: the relevant answers to its queries. */
export interface SeedTruth {
  readonly seed: string;
  /** Hex sha-256 of the seed's source. Runs are comparable only if these are equal. */
  readonly hash: string;
  /** Number of queries. There is a query for each line, which ends after that line. */
  readonly lines: number;
  readonly mutants: readonly MutantTruth[];
  /** Cells that look similar and do something else, rated as unrelated. */
  readonly hardNegatives?: readonly { readonly operator: string; readonly id: string }[] | undefined;
}

/** The relevant cells among a seed's mutants, best first. */
export function relevantCells(mutants: readonly MutantTruth[], scale: RatingScale = PAPER_SCALE): MutantTruth[] {
  return distinctMutants(mutants).filter(({ rating }) => isRelevant(rating, scale));
}

/** The distinct cells of a seed's mutants, best first. If two mutants are the same cell, the higher rating counts. */
export function distinctMutants(mutants: readonly MutantTruth[]): MutantTruth[] {
  const best = new Map<string, MutantTruth>();
  for (const mutant of mutants) {
    const known = best.get(mutant.id);
    if (known === undefined || known.rating < mutant.rating) best.set(mutant.id, mutant);
  }
  return [...best.values()].sort((a, b) => b.rating - a.rating || a.mutant - b.mutant);
}

/** Removes repeated cells; later cells move up. A target that repeats a cell only wastes a rank. */
export function deduplicate<T extends { readonly id: string }>(hits: readonly T[]): T[] {
  const seen = new Set<string>();
  return hits.filter(({ id }) => !seen.has(id) && seen.add(id));
}
