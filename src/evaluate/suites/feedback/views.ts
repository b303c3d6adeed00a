import type { FeedbackResult, NamedAcceptance } from "./document.js";

/** Acceptance by everything that is known of a hit, in the order of the report. */
export function acceptanceViews(
  document: FeedbackResult,
): { readonly name: string; readonly groups: readonly NamedAcceptance[] }[] {
  return [
    { name: "label", groups: document.byLabel },
    { name: "rank", groups: document.byRank },
    { name: "mode", groups: document.byMode },
    { name: "confidence", groups: document.byConfidence },
    { name: "embedder", groups: document.byEmbedder },
  ];
}
