import { normalizeSource } from "../../../notebook/extract.js";
import { strip } from "../../../python/strip.js";
import { tokenize } from "../../../python/tokenize.js";
import type { Mutator } from "../../suite.js";
import type { Recipe } from "./protocol.js";

/** A changed copy of a seed. `mutant` is its number i; null for a hard negative. */
export interface Mutant {
  /** The last applied operator, and all applied operators in order. */
  readonly operator: string;
  readonly operators: readonly string[];
  readonly mutant: number | null;
  readonly rating: number;
  readonly code: string;
}

/** The mutants of a seed, and the operators that changed nothing or threw. */
export interface Mutants {
  readonly mutants: readonly Mutant[];
  readonly unchanged: readonly string[];
  readonly failed: readonly { readonly operator: string; readonly message: string }[];
}

/**
 * Makes mutant i by applying the operators of step i to the seed in order. If the last operator changes nothing or
 * throws, there is no mutant i, but later mutants keep their numbers. A seed of magics only has no names to change and
 * counts as its own mutant, so it has as many mutants as other seeds. Hard negatives are made from the original seed.
 */
export function makeMutants(source: string, { steps, hardNegatives, unrelated }: Recipe): Mutants {
  const seed = normalizeSource(source);
  const apply = createApplication();
  const mutants: Mutant[] = [];
  const unchanged: string[] = [];
  const make = (operators: readonly Mutator[], mutant: number | null, rating: number) => {
    const { before, after, isFailed } = apply(seed, operators);
    const last = operators.at(-1)!.name;
    if (isFailed) return;
    if (after === before) unchanged.push(last);
    const isOwnMutant = mutant !== null && after === seed && !mutants.some(({ code }) => code === seed);
    if (after === before && !(isOwnMutant && hasOnlyMagics(seed))) return;
    mutants.push({ operator: last, operators: operators.map(({ name }) => name), mutant, rating, code: after });
  };
  for (const [at, { operators, rating }] of steps.entries()) make(operators, at + 1, rating);
  for (const mutator of hardNegatives) make([mutator], null, unrelated);
  return { mutants, unchanged, failed: apply.failed };
}

function hasOnlyMagics(code: string): boolean {
  const tokens = tokenize(strip(code).text).filter(({ kind }) => kind !== "newline");
  return tokens.length > 0 && tokens.every(({ kind }) => kind === "magic");
}

/**
 * Applies operators in order, and caches results, because an operator may be a slow program. Failing operators are
 * skipped.
 */
function createApplication() {
  const results = new Map<Mutator, Map<string, ReturnType<typeof attempt>>>();
  const failed: { operator: string; message: string }[] = [];
  const applyOne = (mutator: Mutator, code: string) => {
    const resultsByCode = results.get(mutator) ?? new Map<string, ReturnType<typeof attempt>>();
    results.set(mutator, resultsByCode);
    const result = resultsByCode.get(code) ?? attempt(mutator, code);
    resultsByCode.set(code, result);
    return result;
  };
  const apply = (seed: string, operators: readonly Mutator[]) => {
    let [before, after, isFailed] = [seed, seed, false];
    for (const mutator of operators) {
      const result = applyOne(mutator, after);
      before = after;
      isFailed = "message" in result;
      if ("code" in result) after = result.code;
      else if (!failed.some(({ operator }) => operator === mutator.name))
        failed.push({ operator: mutator.name, message: result.message });
    }
    return { before, after, isFailed };
  };
  return Object.assign(apply, { failed });
}

/** Reports an exception instead of ending the run, because operators can be the user's own. */
function attempt(mutator: Mutator, code: string): { code: string } | { message: string } {
  try {
    const changed: unknown = mutator.apply(code);
    return typeof changed === "string" ? { code: changed } : { message: `gave ${typeof changed} instead of a string` };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}
