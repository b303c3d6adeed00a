import type { Target } from "../target.js";

/** What the same recommender is called where it is asked without them. */
export const WITHOUT_VARIABLES = "recommender, without variables";

/** The same target, which is not told what the running kernel holds. */
export function withoutVariables(target: Target): Target {
  return { ...target, takesVariables: false };
}
