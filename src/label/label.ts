import type { Labeller } from "./labeller.js";
import { createRuleLabeller } from "./rule-labeller.js";

/** The labeller that the program uses. */
export function createLabeller(): Labeller {
  return createRuleLabeller();
}
