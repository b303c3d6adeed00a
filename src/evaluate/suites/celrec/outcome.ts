import type { QueryResult } from "./document.js";

/** A returned cell with its rating. `confidence` counts for calibration and is not kept. */
export interface JudgedHit extends QueryResult {
  readonly confidence?: number | null;
}

/** A query and what came back. */
export interface QueryOutcome {
  readonly id: string;
  readonly seed: string;
  readonly lines: number;
  readonly label: string | null;
  /** The cleaned text, or a hash of it: equal for queries that a recommender cannot tell apart. */
  readonly group: string;
  /** Best first, each cell once (see `deduplicate`). */
  readonly results: readonly JudgedHit[];
  /** See `pairCosines`. */
  readonly cosines?: readonly number[] | undefined;
  /** Milliseconds by stage. */
  readonly took?: Readonly<Record<string, number>> | undefined;
}
