import type { Config } from "../config.js";
import type { RecommendRequest } from "./recommend.js";

/** What a request leaves open. The paper's recommender filters by the primary label and shows every cell. */
export function presetDefaults(preset: Config["preset"]): Pick<RecommendRequest, "filter" | "collapse"> {
  return preset === "paper" ? { filter: "strict", collapse: false } : { filter: "soft", collapse: true };
}
