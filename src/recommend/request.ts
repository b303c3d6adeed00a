import type { Exclusion, NotebookFilter } from "../store/vector-store.js";
import type { QueryContext } from "./features/query-profile.js";
import type { FilterMode, Mode, RecommendAnswer } from "./recommendation.js";

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
  readonly mode: Mode;
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

export type Recommend = (request: RecommendRequest) => Promise<RecommendAnswer>;
