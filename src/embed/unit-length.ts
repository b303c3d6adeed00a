/** The vector of length 1 in the direction of `sum`; null where it has none, as zeros and NaN do not. */
export function toUnitLength(sum: Float64Array | Float32Array): Float32Array | null {
  let squares = 0;
  for (let at = 0; at < sum.length; at += 1) squares += sum[at]! * sum[at]!;
  const length = Math.sqrt(squares);
  return length > 0 && length < Number.POSITIVE_INFINITY ? Float32Array.from(sum, (value) => value / length) : null;
}
