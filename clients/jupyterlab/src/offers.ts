import type { Recommendation } from "./answers.js";
import { type Addition, type InsertPlan, planInsertion } from "./insertions.js";

/** Minimum confidence of a card; lower than that of ghost text, because a card does not interrupt typing. */
export const CARD_CONFIDENCE = 0.2;

/** Pause before ghost text is requested; shorter than that of the panel, because a completion is cheap. */
export const GHOST_PAUSE_MS = 60;

/** Whether the answer is likely enough for ghost text; otherwise it is only the first card. */
export const isGhostText = (
  [first]: readonly { readonly confidence: number }[],
  { minConfidence }: { readonly minConfidence: number },
): boolean => first !== undefined && first.confidence >= minConfidence;

/** The content that a card or its keyboard command inserts. */
export interface Offer<Hit = Recommendation> {
  /** The recommendation; null for the completion at the cursor. */
  readonly hit: Hit | null;
  /** The whole cell; for a completion its text. */
  readonly code: string;
  readonly plan: InsertPlan;
}

interface Cursor {
  readonly prefix: string;
  readonly suffix: string;
  readonly before: readonly string[];
}

/**
 * The completion at the cursor comes first, as in the ghost text. Then come cells that can be inserted here, then cells
 * that can only become new cells.
 */
export function createOffers<Hit extends Addition>(
  { prefix, suffix, before }: Cursor,
  completion: { readonly text: string } | null,
  recommendations: readonly Hit[],
): Offer<Hit>[] {
  const all = recommendations.map((hit) => ({
    hit,
    code: hit.adapted.code,
    plan: planInsertion(hit, prefix, suffix, before),
  }));
  const cells = [true, false].flatMap((fits) => all.filter(({ plan }) => (plan.problem === null) === fits));
  if (completion === null) return cells;
  const plan: InsertPlan = { insertions: [{ at: 0, text: completion.text }], problem: null };
  return [{ hit: null, code: completion.text, plan }, ...cells];
}
