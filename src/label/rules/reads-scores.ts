import { type Rule, words } from "../rule.js";

export const readsScores: Rule = {
  name: "reads-scores",
  label: "evaluate_model",
  description: "Reads what a fitted model says about itself.",
  strength: 0.6,
  any: {
    attributes: words(`
      feature_importances_ best_score_ best_params_ best_estimator_ cv_results_ history coef_ intercept_ inertia_
      no_grad oob_score_ rsquared
    `),
    methods: ["eval", "no_grad", "get_score", "feature_importance", "summary2"],
  },
};
