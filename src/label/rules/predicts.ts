import { type Rule, words } from "../rule.js";

export const predicts: Rule = {
  name: "predicts",
  label: "evaluate_model",
  description: "Predicts, scores or evaluates.",
  strength: 0.85,
  any: {
    methods: words(`
      predict predict_proba predict_classes predict_generator evaluate evaluate_generator score forecast get_preds
      decision_function validate bic aic plot_top_losses predict_log_proba staged_predict predict_on_batch
      get_forecast get_prediction cross_validation
    `),
    calls: words(`
      predict prediction predictions make_predictions get_prediction predict_model evaluate get_preds from_learner
      evaluate_model test_model
    `),
  },
};
