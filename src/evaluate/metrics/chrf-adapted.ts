import { chrf } from "./chrf.js";
import type { TextMetric } from "./metric.js";

/**
 * chrf-adapted = chrf of the cell in the user's names, as the target gives it; of the code itself where it gives none. The
 * best of the k counts, 0 for an empty list.
 */
export const chrfAdapted: TextMetric = {
  ...chrf,
  name: "chrf-adapted",
  description: "chrF of the best result in the user's own names.",
  reads: "adapted",
};
