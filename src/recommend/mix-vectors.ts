import { dot, toUnitLength } from "../embed/vectors.js";

/** What the cell before and the Markdown above count in a query's vector; the embedder was trained with it. */
export const CONTEXT_SHARE = 0.3;

/** The unit vector of a query with its context: the code counts in full, the rest with `CONTEXT_SHARE`. Null without any part. */
export function mixVectors(code: Float32Array | null, context: readonly (Float32Array | null)[]): Float32Array | null {
  const parts = [code, ...context];
  const dimensions = parts.find((part) => part !== null)?.length;
  if (dimensions === undefined) return null;
  const sum = new Float64Array(dimensions);
  for (const [at, part] of parts.entries()) {
    if (part === null) continue;
    const share = at === 0 ? 1 : CONTEXT_SHARE;
    for (let index = 0; index < dimensions; index += 1) sum[index]! += share * part[index]!;
  }
  return toUnitLength(sum);
}

type Part = Float32Array | null | undefined;

/** The length of that sum before it is made a unit vector; 0 without any part. */
export function mixedLength(code: Part, context: readonly Part[]): number {
  const parts = [code, ...context];
  let squares = 0;
  for (const [at, left] of parts.entries()) {
    for (const [other, right] of parts.entries())
      squares += (at === 0 ? 1 : CONTEXT_SHARE) * (other === 0 ? 1 : CONTEXT_SHARE) * dot(left, right);
  }
  return Math.sqrt(Math.max(0, squares));
}
