import type { Config } from "../config.js";
import type { Mode } from "./recommendation.js";
import type { RecommendRequest } from "./request.js";
import type { RerankKind } from "./rerank-model.js";

/** Unlike hits help people who type, as the typing suite shows; cells like this one are wanted alike. */
const DIVERSITY = { similar: 0, complete: 0.5, next: 0.3, markdown: 0.3 } satisfies Record<RerankKind, number>;

/** The diversity of a request that says nothing of it. */
export function defaultDiversity(kind: RerankKind): number {
  return DIVERSITY[kind];
}

/** Costs one useful case in thirty and halves the useless hits; whoever names a mode wants what there is. */
const LEAST_CONFIDENCE_IN_AUTO = 0.1;

/** The least confidence of a request that says nothing of it. */
export function defaultMinConfidence(mode: Mode): number {
  return mode === "auto" ? LEAST_CONFIDENCE_IN_AUTO : 0;
}

/** What a request leaves open. The paper's recommender filters by the primary label and shows every cell. */
export function presetDefaults(preset: Config["preset"]): Pick<RecommendRequest, "filter" | "mode" | "collapse"> {
  if (preset === "paper") return { filter: "strict", mode: "similar", collapse: false };
  return { filter: "soft", mode: "auto", collapse: true };
}
