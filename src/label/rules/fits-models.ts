import { type Rule, words } from "../rule.js";

export const fitsModels: Rule = {
  name: "fits-models",
  label: "train_model",
  description: "Fits a model.",
  strength: 0.93,
  any: {
    methods: words(`
      fit fit_generator train fit_one_cycle partial_fit train_on_batch lr_find fine_tune unfreeze auto_arima
      fit_predict train_epoch train_one_epoch fit_one_epoch fit_flat_cos
    `),
    calls: words(`
      run_experiment train_model fit_model train_and_evaluate train_network train_loop compare_models tune_model
      ensemble_model stack_models
    `),
  },
  unless: {
    calls: words(`
      LabelEncoder StandardScaler MinMaxScaler OneHotEncoder Imputer SimpleImputer Tokenizer TfidfVectorizer
      CountVectorizer RobustScaler LabelBinarizer PCA
    `),
    names: ["norm", "scaler", "encoder"],
  },
};
