import type { Completion, CompletionQuestion, Recommendation } from "./answers.js";
import { type InsertPlan, planInsertion } from "./insertions.js";

/** What a card, or its keyboard command, inserts into the notebook. */
export interface Offer {
  /** Null for the completion at the cursor. */
  readonly hit: Recommendation | null;
  /** The whole cell; for a completion its text. */
  readonly code: string;
  readonly plan: InsertPlan;
}

/** The completion at the cursor first, as the ghost text shows it, then the recommended cells. */
export function createOffers(
  { prefix, suffix, context }: CompletionQuestion,
  completion: Completion | null,
  recommendations: readonly Recommendation[],
): Offer[] {
  const cells = recommendations.map((hit) => ({
    hit,
    code: hit.adapted.code,
    plan: planInsertion(hit, prefix, suffix, context.before),
  }));
  if (completion === null) return cells;
  const plan: InsertPlan = { insertions: [{ at: 0, text: completion.text }], problem: null };
  return [{ hit: null, code: completion.text, plan }, ...cells];
}
