/** The vector of length 1 in the direction of `sum`; null where it has none, as zeros and NaN do not. */
export function toUnitLength(sum: Float64Array | Float32Array): Float32Array | null {
  let squares = 0;
  for (let at = 0; at < sum.length; at += 1) squares += sum[at]! * sum[at]!;
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return null;
  const unit = new Float32Array(sum.length);
  for (let at = 0; at < sum.length; at += 1) unit[at] = sum[at]! / length;
  return unit;
}
