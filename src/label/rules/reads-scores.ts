import type { Rule } from "../rule.js";

export const readsScores: Rule = {
  name: "reads-scores",
  label: "evaluate_model",
  description: "Reads what a fitted model says about itself.",
  strength: 0.6,
  any: {
    attributes: ["best_score_", "cv_results_", "inertia_", "oob_score_", "rsquared"],
    methods: ["eval", "no_grad", "get_score"],
  },
};
