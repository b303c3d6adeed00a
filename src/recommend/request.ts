import type { LabelProbability } from "../label/labeller.js";
import type { Exclusion, NotebookFacts, NotebookFilter } from "../store/vector-store.js";
import type { Help } from "./answer/answer.js";
import type { QueryContext } from "./features/query-profile.js";
import type { FilterMode } from "./label-filter.js";
import type { RerankMode } from "./rerank.js";

/** `auto` is `complete` where something is typed, else `next`. */
export type RecommendMode = RerankMode | "auto";

export interface RequestContext extends QueryContext {
  /** Names and types of what a live kernel holds. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

export interface RecommendRequest {
  readonly code: string;
  readonly k: number;
  /** Only cells that have this label. */
  readonly label?: string | undefined;
  /** Only cells that stand in such a notebook; never widened. */
  readonly notebooks?: NotebookFilter | undefined;
  readonly filter: FilterMode;
  readonly mode: RecommendMode;
  readonly collapse: boolean;
  /** 0 to 1: how much being unlike the hits before it counts; without it, what suits the mode. */
  readonly diversity?: number | undefined;
  /** Hits with a lower confidence are left out; .1 where `auto` is asked for, else 0 by default. */
  readonly minConfidence?: number | undefined;
  readonly context?: RequestContext | undefined;
  readonly exclude?: Exclusion | undefined;
  /** Whether the answer says what each feature added to a score. */
  readonly explain?: boolean | undefined;
  /** Ends the work between two stages; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A stored cell, and what it brings to the typed code. */
export interface Recommendation extends Omit<Help, "added"> {
  readonly rank: number;
  readonly id: string;
  readonly code: string;
  readonly score: number;
  readonly confidence: number | null;
  readonly labels: readonly string[];
  readonly occurrences: number;
  readonly notebook: NotebookFacts & {
    readonly id: string;
    readonly source: string;
    /** The path in the source. */
    readonly name: string;
    readonly cellIndex: number;
  };
  readonly why?: Readonly<Record<string, number>>;
}

export interface RecommendAnswer {
  readonly id: string;
  readonly query: { readonly primary: string | null; readonly labels: readonly LabelProbability[] };
  /** What `auto` came to, or what was asked for. */
  readonly mode: RerankMode;
  /** The highest confidence of all cells that were looked at, also of those left out; null where none was calibrated. */
  readonly highestConfidence: number | null;
  /** Whether the label filter left fewer than k cells, so that others were added behind them. */
  readonly widened: boolean;
  readonly recommendations: readonly Recommendation[];
  /** Milliseconds per stage. */
  readonly took: Readonly<Record<string, number>>;
}

export type Recommend = (request: RecommendRequest) => Promise<RecommendAnswer>;
