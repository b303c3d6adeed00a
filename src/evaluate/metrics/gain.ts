/** The gain of a rating, 2^rating - 1: the exponential form of Burges et al. that the paper prints. */
export const gain = (rating: number): number => 2 ** rating - 1;

/** Discounted cumulative gain: the gain at rank i over log2(i + 1). */
export function dcg(gains: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < gains.length; at += 1) sum += gains[at]! / Math.log2(at + 2);
  return sum;
}
