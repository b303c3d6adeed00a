/** The kind of a text: `query` for typed code, `cell` for stored code. A model may treat them differently. */
export type EmbedRole = "query" | "cell";

export interface Embedder {
  /** Identifies model, revision, pooling and preprocessing. Embedders with equal ids give equal vectors. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * One vector of unit length per text, in order; null for a text that has no tokens. Texts are cleaned code. Rejects with
   * the signal's reason if it is aborted before or between batches.
   */
  embed(texts: readonly string[], role: EmbedRole, signal?: AbortSignal): Promise<(Float32Array | null)[]>;
  close(): Promise<void>;
}

/** The unit vector in the direction of `sum`; null for zeros and NaN. */
export function toUnitLength(sum: Float64Array | Float32Array): Float32Array | null {
  let squares = 0;
  for (let at = 0; at < sum.length; at += 1) squares += sum[at]! * sum[at]!;
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return null;
  const unit = new Float32Array(sum.length);
  for (let at = 0; at < sum.length; at += 1) unit[at] = sum[at]! / length;
  return unit;
}

/** The dot product of two vectors, which is the cosine of unit vectors; 0 if either is missing. */
export function dot(left: Float32Array | null | undefined, right: Float32Array | null | undefined): number {
  if (!left || !right) return 0;
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += left[at]! * right[at]!;
  return sum;
}

/** The cosine of two vectors of one length, summed in double precision and clamped to [-1, 1]; 0 if one is zero. */
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
