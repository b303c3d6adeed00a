import { type Rule, words } from "../rule.js";

export const setsHyperparameters: Rule = {
  name: "sets-hyperparameters",
  label: "train_model",
  description: "Names hyperparameters of a model.",
  strength: 0.6,
  any: {
    keywords: words(`
      epochs n_estimators max_depth learning_rate batch_size optimizer loss callbacks validation_data
      steps_per_epoch param_grid num_leaves num_boost_round early_stopping_rounds objective n_clusters n_neighbors
      C lr max_iter hidden_layer_sizes
    `),
    strings: ["n_estimators", "max_depth", "learning_rate", "num_leaves", "objective", "colsample_bytree"],
  },
};
