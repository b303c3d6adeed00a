import { createRandom } from "./random.js";

const ROUNDS = 10_000;
const SEED = 20_240_502;

/**
 * Two-sided p of a paired permutation test: under the null hypothesis each difference could as well have had the other
 * sign. Up to 2^13 sign patterns are all tried (an exact p), beyond that 10,000 are drawn, the observed one counting
 * as one of them. 1 where nothing differs.
 */
export function permutationTest(differences: readonly number[], { rounds = ROUNDS, seed = SEED } = {}): number {
  // A pair without a difference adds nothing under either sign.
  const moved = Float64Array.from(differences.filter((difference) => difference !== 0));
  if (moved.length === 0) return 1;
  // Sums of the same numbers in another order differ in the last bits; they are ties all the same.
  const observed = Math.abs(total(moved)) * (1 - 1e-12);
  if (2 ** moved.length <= rounds) return exact(moved, observed);
  const random = createRandom(seed);
  let extreme = 1;
  for (let round = 0; round < rounds; round += 1) {
    let sum = 0;
    for (let at = 0; at < moved.length; at += 1) sum += random() < 0.5 ? moved[at]! : -moved[at]!;
    if (Math.abs(sum) >= observed) extreme += 1;
  }
  return extreme / (rounds + 1);
}

function exact(moved: Float64Array, observed: number): number {
  const patterns = 2 ** moved.length;
  let extreme = 0;
  for (let pattern = 0; pattern < patterns; pattern += 1) {
    let sum = 0;
    for (let at = 0; at < moved.length; at += 1) sum += (pattern >> at) & 1 ? moved[at]! : -moved[at]!;
    if (Math.abs(sum) >= observed) extreme += 1;
  }
  return extreme / patterns;
}

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
