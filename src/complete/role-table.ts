/**
 * The role of a call's result, and the calls with that role. Variables of one role share their statistics: what follows
 * `df.` also predicts what follows `titanic.`. An unlisted call is a role of its own. Calls in `KEEPS_ROLE` return the
 * role of their receiver.
 */
const MADE_BY: Readonly<Record<string, string>> = {
  frame:
    "read_csv read_excel read_json read_table read_parquet read_sql read_pickle read_feather read_html read_hdf read_sql_query read_clipboard DataFrame " +
    "concat merge get_dummies json_normalize pivot_table crosstab to_frame melt",
  series: "Series value_counts to_datetime to_numeric cut qcut isnull isna notnull nunique idxmax",
  groupby: "groupby resample rolling",
  array:
    "array zeros ones arange linspace reshape asarray full empty eye hstack vstack column_stack concatenate ravel flatten to_numpy meshgrid randn rand randint normal uniform permutation expand_dims stack dot transpose log exp sqrt",
  transformed: "fit_transform transform toarray todense pad_sequences texts_to_sequences",
  predicted: "predict predict_classes cross_val_predict argmax",
  probability: "predict_proba decision_function softmax",
  score:
    "accuracy_score mean_squared_error mean_absolute_error r2_score f1_score roc_auc_score score cross_val_score log_loss precision_score recall_score rmse",
  matrix: "confusion_matrix corr cov",
  number: "len int float sum mean max min abs round count",
  text: "str join format strip lower upper replace_text read decode open_text",
  list: "list sorted tolist split findall keys values glob listdir append_list",
  set: "set frozenset",
  dict: "dict Counter defaultdict OrderedDict to_dict items_dict json loads load_json",
  figure: "figure Figure",
  axes: "subplot gca add_subplot axes",
  image: "imread imdecode open_image resize cvtColor load_img img_to_array",
  history: "fit_generator",
  net: "Sequential Model Functional load_model from_pretrained_model",
};

/** Methods whose result has the role of the receiver. */
const KEEPS_ROLE = new Set(
  (
    "copy drop dropna fillna reset_index set_index sort_values sort_index head tail sample query rename replace append assign join astype " +
    "drop_duplicates apply applymap reindex select_dtypes nlargest nsmallest fit compile interpolate clip where mask map shuffle to cuda eval filter " +
    "cache batch repeat prefetch lower upper strip"
  ).split(" "),
);

const ROLE_OF_CALL: ReadonlyMap<string, string> = new Map(
  Object.entries(MADE_BY).flatMap(([role, calls]) => calls.split(" ").map((call) => [call, role] as const)),
);

/** Roles of classes, by the end of the class name. */
const ROLE_OF_SUFFIX: readonly (readonly [RegExp, string])[] = [
  [
    /(?:Classifier|Regressor|Regression|SVC|SVR|NB|Lasso|Ridge|ElasticNet|Perceptron|SearchCV|KMeans|DBSCAN|Forest|Boost|LinearModel|Pipeline)$/,
    "estimator",
  ],
  [
    /(?:Scaler|Encoder|Imputer|Vectorizer|Transformer|PCA|TSNE|SVD|Binarizer|Normalizer|PolynomialFeatures|Selector|KBest|Tokenizer|Smote|SMOTE)$/,
    "transformer",
  ],
  [/(?:Fold|Split)$/, "splitter"],
  [/(?:Generator|Loader|Dataset)$/, "dataset"],
  [/(?:Adam|SGD|RMSprop|Optimizer|AdamW)$/, "optimizer"],
];

/** The role of a call's result. */
export function roleOfCall(name: string, receiver: string | null): string {
  const known = ROLE_OF_CALL.get(name);
  if (known !== undefined) return known;
  if (receiver !== null && KEEPS_ROLE.has(name)) return receiver;
  for (const [suffix, role] of ROLE_OF_SUFFIX) if (suffix.test(name)) return role;
  return `call ${name}`;
}
