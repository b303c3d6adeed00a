import type { Config } from "../config.js";
import type { RecommendRequest } from "./recommend.js";

/** What a request leaves open. The paper's recommender filters by the primary label and shows every cell. */
export function presetDefaults(preset: Config["preset"]): Pick<RecommendRequest, "filter" | "mode" | "collapse"> {
  if (preset === "paper") return { filter: "strict", mode: "similar", collapse: false };
  return { filter: "soft", mode: "similar", collapse: true };
}
