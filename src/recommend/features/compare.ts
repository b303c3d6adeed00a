import { dot } from "../../embed/vectors.js";
import type { CellProfile } from "../../python/profile.js";
import { CONTEXT_SHARE, mixedLength } from "../mix-vectors.js";
import { createBehindMeasure, NOTHING_BEHIND } from "./behind.js";
import { createCallMeasure, NO_CALLS } from "./call-overlap.js";
import type { Feature } from "./feature.js";
import { createOverlapMeasure } from "./overlap.js";
import type { QueryProfile } from "./query-profile.js";

/** Vectors of the query's parts; null or left out where there is no such part. */
export interface QueryVectors {
  readonly code?: Float32Array | null;
  readonly before?: Float32Array | null;
  readonly markdown?: Float32Array | null;
}

export interface ComparedCell {
  readonly profile: CellProfile;
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
  const measureOverlap = createOverlapMeasure(query);
  const measureCalls = features.some(({ ofCalls }) => ofCalls)
    ? createCallMeasure(
        query,
        cells.map(({ profile }) => profile),
      )
    : () => NO_CALLS;
  const measureBehind = features.some(({ ofBehind }) => ofBehind) ? createBehindMeasure(query) : () => NOTHING_BEHIND;
  const length = mixedLength(vectors.code, [vectors.before, vectors.markdown]);
  // One buffer for all rows: many small ones cost more than what is computed for them.
  const values = new Float64Array(cells.length * features.length);
  const rows = cells.map(({ profile, vector, follows = 0 }, index) => {
    const cosine = dot(vectors.code, vector);
    const beforeCosine = dot(vectors.before, vector);
    const markdownCosine = dot(vectors.markdown, vector);
    const comparison = {
      query,
      cell: profile,
      overlap: measureOverlap(profile),
      calls: measureCalls(profile),
      behind: measureBehind(profile),
      cosine,
      beforeCosine,
      markdownCosine,
      mixedCosine: length === 0 ? 0 : (cosine + CONTEXT_SHARE * (beforeCosine + markdownCosine)) / length,
      follows,
    };
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
