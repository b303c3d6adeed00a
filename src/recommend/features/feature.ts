import type { CellProfile } from "../../python/profile.js";
import type { Behind } from "./behind.js";
import type { CallOverlap } from "./call-overlap.js";
import type { Overlap } from "./overlap.js";
import type { QueryProfile } from "./query-profile.js";

/** Everything a feature may look at: the query, one candidate, and how the two overlap. */
export interface Comparison {
  readonly query: QueryProfile;
  readonly cell: CellProfile;
  readonly overlap: Overlap;
  readonly calls: CallOverlap;
  readonly behind: Behind;
  /** Cosines of the candidate's vector with those of the query's code, of the cell before and of the Markdown; 0 without. */
  readonly cosine: number;
  readonly beforeCosine: number;
  readonly markdownCosine: number;
  /** Cosine with the vector of the code and its context together, as the first stage mixes them. */
  readonly mixedCosine: number;
  /** Cosine of the cell before the query and the one that the candidate stands behind; 0 where nobody looked. */
  readonly follows: number;
}

/** One number that tells how well a candidate answers a query. */
export interface Feature {
  readonly name: string;
  /** What the number is, in words. */
  readonly about: string;
  /** The sign that a fitted weight may have; 0 is any. */
  readonly sign: 1 | -1 | 0;
  /** Values are divided by the best one among the candidates, because their size depends on the query. */
  readonly relative?: true;
  /** Whether it looks at `calls`: they are compared only where some feature does. */
  readonly ofCalls?: true;
  /** Whether it looks at `behind`. */
  readonly ofBehind?: true;
  value(comparison: Comparison): number;
}
