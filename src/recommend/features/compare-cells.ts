import { dot, toUnitLength } from "../../embed/embedder.js";
import { createProfileView, joinProfiles, moveTo, type ProfileView } from "../../store/profile-pack.js";
import {
  type CallOverlap,
  createCallMeasure,
  createOverlapMeasure,
  createRemainderMeasure,
  EMPTY_REMAINDER,
  NO_CALLS,
  NO_OVERLAP,
  type Overlap,
  type Remainder,
} from "./overlap.js";
import type { QueryProfile } from "./query-profile.js";

/** Vectors of the query's parts; null or omitted if the query has no such part. */
export interface QueryVectors {
  readonly code?: Float32Array | null;
  readonly before?: Float32Array | null;
  readonly markdown?: Float32Array | null;
}

interface ComparedCell {
  /** The packed profile. */
  readonly profile: Uint8Array;
  readonly vector: Float32Array | null;
  readonly follows?: number | undefined;
}

/** One row of feature values per cell, in the order of the features. */
export function compareCells(
  features: readonly Feature[],
  query: QueryProfile,
  vectors: QueryVectors,
  cells: readonly ComparedCell[],
): Float64Array[] {
  const packed = joinProfiles(cells.map(({ profile }) => profile));
  const cell = createProfileView(packed);
  const slots = new Int16Array(packed.maxDistinct);
  const measureOverlap = createOverlapMeasure(query, slots);
  const measureCalls = features.some(({ ofCalls }) => ofCalls) ? createCallMeasure(query, packed) : () => NO_CALLS;
  const measureBehind = features.some(({ ofBehind }) => ofBehind)
    ? createRemainderMeasure(query, slots)
    : () => EMPTY_REMAINDER;
  const length = mixedLength(vectors.code, [vectors.before, vectors.markdown]);
  // One buffer for all rows: many small ones would cost more than the computation.
  const values = new Float64Array(cells.length * features.length);
  const comparison = {
    query,
    cell,
    overlap: NO_OVERLAP,
    calls: NO_CALLS,
    behind: EMPTY_REMAINDER,
    cosine: 0,
    beforeCosine: 0,
    markdownCosine: 0,
    mixedCosine: 0,
    follows: 0,
  };
  const rows = cells.map(({ vector, follows = 0 }, index) => {
    moveTo(cell, packed, index);
    comparison.overlap = measureOverlap(cell);
    comparison.calls = measureCalls(cell);
    comparison.behind = measureBehind(cell);
    comparison.cosine = dot(vectors.code, vector);
    comparison.beforeCosine = dot(vectors.before, vector);
    comparison.markdownCosine = dot(vectors.markdown, vector);
    const mixed = comparison.cosine + CONTEXT_SHARE * (comparison.beforeCosine + comparison.markdownCosine);
    comparison.mixedCosine = length === 0 ? 0 : mixed / length;
    comparison.follows = follows;
    const row = values.subarray(index * features.length, (index + 1) * features.length);
    for (let at = 0; at < row.length; at += 1) row[at] = features[at]!.value(comparison);
    return row;
  });
  for (const [at, { relative }] of features.entries()) if (relative) divideByBest(rows, at);
  return rows;
}

function divideByBest(rows: readonly Float64Array[], at: number): void {
  let best = 0;
  for (const row of rows) best = Math.max(best, row[at]!);
  if (best > 0) for (const row of rows) row[at]! /= best;
}

/** Everything a feature may look at: the query, one candidate, and how the two overlap. */
interface Comparison {
  readonly query: QueryProfile;
  readonly cell: ProfileView;
  readonly overlap: Overlap;
  readonly calls: CallOverlap;
  readonly behind: Remainder;
  /**
   * Cosines of the candidate's vector with the vectors of the query's code, the cell before and the Markdown; 0 if the
   * query has no such part.
   */
  readonly cosine: number;
  readonly beforeCosine: number;
  readonly markdownCosine: number;
  /** Cosine with the vector that mixes code and context, as in the first stage. */
  readonly mixedCosine: number;
  /** Cosine between the cell before the query and the cell before the candidate; 0 if unknown. */
  readonly follows: number;
}

/** One number that measures how well a candidate answers a query. */
export interface Feature {
  readonly name: string;
  /** A description of the number. */
  readonly about: string;
  /** The sign that a fitted weight may have; 0 allows both. */
  readonly sign: 1 | -1 | 0;
  /** If set, values are divided by the highest value among the candidates, because their scale depends on the query. */
  readonly relative?: true;
  /** Whether the feature uses `calls`, which are compared only if some feature needs them. */
  readonly ofCalls?: true;
  /** Whether the feature uses `behind`. */
  readonly ofBehind?: true;
  value(comparison: Comparison): number;
}

/** Weight of the cell before and of the Markdown in a query's vector; the embedder was trained with it. */
export const CONTEXT_SHARE = 0.3;

/**
 * The unit vector of a query with its context: the code has weight 1, the other parts have `CONTEXT_SHARE`. Null if the
 * query has no part.
 */
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

/** The length of the weighted sum before normalisation; 0 if the query has no part. */
function mixedLength(code: Part, context: readonly Part[]): number {
  const parts = [code, ...context];
  let squares = 0;
  for (const [at, left] of parts.entries()) {
    for (const [other, right] of parts.entries())
      squares += (at === 0 ? 1 : CONTEXT_SHARE) * (other === 0 ? 1 : CONTEXT_SHARE) * dot(left, right);
  }
  return Math.sqrt(Math.max(0, squares));
}
