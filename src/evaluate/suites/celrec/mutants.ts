import { normalizeSource } from "../../../notebook/extract.js";
import { RELEVANT_FROM, UNRELATED } from "../../metrics/metric.js";
import type { Mutator } from "../../suite.js";

/** One changed copy of a seed. `mutant` is its number i, null for a hard negative, which is no step of the series. */
export interface Mutant {
  readonly operator: string;
  readonly kind: Mutator["kind"];
  readonly mutant: number | null;
  readonly rating: number;
  readonly code: string;
}

/** The mutants of a seed, and the operators that made none: they left the code as it was, or threw. */
export interface Mutants {
  readonly mutants: readonly Mutant[];
  readonly unchanged: readonly string[];
  readonly failed: readonly { readonly operator: string; readonly message: string }[];
}

/**
 * Applies the operators one after another, in the given order: mutant i has operators 1..i and the rating m + 3 - i, m
 * being their number. An operator that changes nothing, or throws, makes no mutant, but those after it keep their numbers.
 * Hard negatives are made from the seed alone.
 */
export function makeMutants(source: string, mutators: readonly Mutator[]): Mutants {
  const seed = normalizeSource(source);
  const mutants: Mutant[] = [];
  const unchanged: string[] = [];
  const failed: { operator: string; message: string }[] = [];
  const series = mutators.filter(({ kind }) => kind !== "hard-negative").length;
  let position = 0;
  let grown = seed;
  for (const mutator of mutators) {
    const { name: operator, kind } = mutator;
    const isStep = kind !== "hard-negative";
    if (isStep) position += 1;
    const before = isStep ? grown : seed;
    const result = attempt(mutator, before);
    if ("message" in result) failed.push({ operator, message: result.message });
    else if (result.code === before) unchanged.push(operator);
    else {
      if (isStep) grown = result.code;
      const rating = isStep ? series + RELEVANT_FROM - position : UNRELATED;
      mutants.push({ operator, kind, mutant: isStep ? position : null, rating, code: result.code });
    }
  }
  return { mutants, unchanged, failed };
}

/** Operators can be the user's own, so an exception is reported and does not end the run. */
function attempt(mutator: Mutator, code: string): { code: string } | { message: string } {
  try {
    const changed: unknown = mutator.apply(code);
    return typeof changed === "string" ? { code: changed } : { message: `gave ${typeof changed} instead of a string` };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}
