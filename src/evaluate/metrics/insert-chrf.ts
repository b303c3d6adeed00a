import { chrf } from "./chrf.js";
import type { TextMetric } from "./metric.js";

/**
 * insert-chrf = chrf of what would be inserted after the cursor, in the user's names; of the adapted or raw code where the
 * target gives no insertion. The best of the k counts, 0 for an empty list.
 */
export const insertChrf: TextMetric = {
  ...chrf,
  name: "insert-chrf",
  description: "chrF of what the best result would insert after the cursor.",
  reads: "insert",
};
