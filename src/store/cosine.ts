/** The cosine of two vectors of one length, summed in double precision and held in [-1, 1]; 0 where one has no length. */
export function cosine(a: Float32Array | Int8Array, b: Float32Array | Int8Array): number {
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at]!;
    const y = b[at]!;
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  if (squareA === 0 || squareB === 0) return 0;
  return Math.max(-1, Math.min(1, dot / Math.sqrt(squareA * squareB)));
}
