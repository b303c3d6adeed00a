/** The product of two vectors of one length, which is the cosine of unit vectors; 0 where either is missing. */
export function dot(left: Float32Array | null | undefined, right: Float32Array | null | undefined): number {
  if (!left || !right) return 0;
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += left[at]! * right[at]!;
  return sum;
}
