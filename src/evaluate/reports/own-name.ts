import type { SuiteDocument } from "../document.js";

/** What reports call the target that was measured. */
export function ownName({ config }: Pick<SuiteDocument, "config">): string {
  return typeof config.target === "string" ? config.target : "recommender";
}
