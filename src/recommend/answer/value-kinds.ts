/**
 * The kind of a value, by the methods called on it and the calls that make it. These are names of libraries, not of
 * users.
 */
const USES: Readonly<Record<string, string>> = {
  frame:
    "head() tail() describe() info() groupby() drop() fillna() dropna() isnull() isna() columns dtypes merge() loc iloc " +
    "sort_values() set_index() reset_index() rename() corr() select_dtypes() pivot_table() to_csv() iterrows() drop_duplicates() " +
    "value_counts() apply() nunique() sample() query() >data= =read_csv =DataFrame =read_excel =read_json =concat =merge =read_table =read_parquet",
  series: "map() astype() str dt unique() value_counts() =Series",
  estimator:
    "fit() predict() predict_proba() score() fit_transform() transform() feature_importances_ coef_ get_params() best_params_ best_estimator_",
  network:
    "compile() summary() add() evaluate() fit_generator() layers load_weights() save_weights() parameters() forward() =Sequential",
  axes: "set_title() set_xlabel() set_ylabel() set_xticklabels() set_ylim() set_xlim() axvline() axhline() =gca =add_subplot",
  figure: "add_subplot() savefig() suptitle() tight_layout() update_layout() add_trace() =figure =Figure",
  list: "append() extend() insert() pop()",
  dict: "items() keys() values() get() update() setdefault()",
  text: "split() lower() strip() replace() startswith() endswith() join() encode() format()",
};

/** The kind of a value, by the type name that a live kernel reports. */
const TYPES: Readonly<Record<string, string>> = {
  DataFrame: "frame",
  Series: "series",
  ndarray: "array",
  list: "list",
  dict: "dict",
  str: "text",
  Figure: "figure",
  Axes: "axes",
  AxesSubplot: "axes",
  Sequential: "network",
  Functional: "network",
  Model: "network",
};
const ESTIMATOR =
  /(?:Classifier|Regressor|Regression|Scaler|Encoder|Vectorizer|Pipeline|SVC|SVR|Bayes|PCA|KMeans|GridSearchCV)$/;

/** Matches the call in a role such as `>plot data=`. The argument `data` of a plot is always a table. */
const ARGUMENT = /^>\S+ /;

const KIND_OF_USE = new Map(
  Object.entries(USES).flatMap(([kind, uses]) =>
    uses.split(" ").map((use) => [/^[=>]/.test(use) ? use : `.${use}`, `kind ${kind}`] as const),
  ),
);

/** The likely kinds of a value, derived from the roles of its name. */
export function kindsOfUse(parts: Iterable<string>): Set<string> {
  const kinds = new Set<string>();
  for (const part of parts) {
    const kind = KIND_OF_USE.get(part.startsWith(">") ? part.replace(ARGUMENT, ">") : part);
    if (kind !== undefined) kinds.add(kind);
  }
  return kinds;
}

/** The kind of a value whose type has this name in a kernel; undefined for an unlisted type. */
export function kindOfType(type: string): string | undefined {
  const name = type.split(".").at(-1)!;
  const kind = Object.hasOwn(TYPES, name) ? TYPES[name] : ESTIMATOR.test(name) ? "estimator" : undefined;
  return kind === undefined ? undefined : `kind ${kind}`;
}
