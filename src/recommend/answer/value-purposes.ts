/**
 * What a table or an array is there for when something is learnt from it: where it comes from, and where it goes, `>fit 0` being the
 * first argument of `fit`. Names of libraries, not of users.
 */
const USES: Readonly<Record<string, string>> = {
  split: ">train_test_split 0",
  "split along": ">train_test_split 1",
  "learn from": "=train_test_split 0,>fit 0,>fit X=,>cross_val_score 1,>cross_val_predict 1",
  "try on": "=train_test_split 1,>predict 0,>predict_proba 0,>evaluate 0",
  learn: "=train_test_split 2,>fit 1,>fit y=,>cross_val_score 2,>cross_val_predict 2",
  "check against":
    "=train_test_split 3,>evaluate 1,>score 1,>accuracy_score 0,>confusion_matrix 0,>classification_report 0,>f1_score 0,>roc_auc_score 0," +
    ">roc_curve 0,>precision_score 0,>recall_score 0,>mean_squared_error 0,>mean_absolute_error 0,>r2_score 0",
};

const PURPOSE_OF_USE = new Map(
  Object.entries(USES).flatMap(([purpose, uses]) => uses.split(",").map((use) => [use, `to ${purpose}`] as const)),
);

/** What a value seems to be there for, by the parts that its name plays. */
export function purposesOf(parts: Iterable<string>): Set<string> {
  const purposes = new Set<string>();
  for (const part of parts) {
    const purpose = PURPOSE_OF_USE.get(part);
    if (purpose !== undefined) purposes.add(purpose);
  }
  return purposes;
}
