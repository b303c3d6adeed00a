import type { Config } from "../config.js";
import type { Exclusion, NotebookFilter } from "../store/vector-store.js";
import type { QueryContext } from "./features/query-profile.js";
import type { ExpectedLine } from "./query.js";
import type { FilterMode, Mode, RecommendAnswer } from "./recommendation.js";
import type { RerankKind } from "./rerank-model.js";

interface RequestContext extends QueryContext {
  /** Names and types of the variables in a live kernel. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

export interface RecommendRequest {
  readonly code: string;
  /** The cell's text after the cursor, which is not inserted again. */
  readonly suffix?: string | undefined;
  readonly k: number;
  /** Return only cells with this label. */
  readonly label?: string | undefined;
  /** Return only cells that occur in a matching notebook. This filter is never widened. */
  readonly notebooks?: NotebookFilter | undefined;
  readonly filter: FilterMode;
  readonly mode: Mode;
  readonly collapse: boolean;
  /** Weight of the dissimilarity to earlier hits, 0 to 1. The default depends on the mode. */
  readonly diversity?: number | undefined;
  /** Hits with a lower confidence are left out; by default .1 in mode `auto`, else 0. */
  readonly minConfidence?: number | undefined;
  readonly context?: RequestContext | undefined;
  readonly exclude?: Exclusion | undefined;
  /** In mode `next`, the probable first lines of the next cell. */
  readonly expected?: readonly ExpectedLine[] | undefined;
  /** Whether the answer includes the contribution of each feature to the scores. */
  readonly explain?: boolean | undefined;
  /** Stops the work between two stages; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export type Recommend = (request: RecommendRequest) => Promise<RecommendAnswer>;

/** Diverse hits help while typing, as measured by the typing suite. Mode `similar` is ranked by similarity alone. */
const DIVERSITY = { similar: 0, complete: 0.5, next: 0.3, markdown: 0.3 } satisfies Record<RerankKind, number>;

/** The default diversity. */
export function defaultDiversity(kind: RerankKind): number {
  return DIVERSITY[kind];
}

/**
 * Halves the number of useless hits, and loses one useful case in thirty. A request with an explicit mode gets all
 * hits.
 */
const MIN_CONFIDENCE_IN_AUTO = 0.1;

/** The default of `minConfidence`. */
export function defaultMinConfidence(mode: Mode): number {
  return mode === "auto" ? MIN_CONFIDENCE_IN_AUTO : 0;
}

/** Defaults for omitted fields. The published recommender filters by the primary label and shows every cell. */
export function presetDefaults(preset: Config["preset"]): Pick<RecommendRequest, "filter" | "mode" | "collapse"> {
  if (preset === "paper") return { filter: "strict", mode: "similar", collapse: false };
  return { filter: "soft", mode: "auto", collapse: true };
}
