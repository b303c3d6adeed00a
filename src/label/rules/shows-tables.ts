import { type Rule, words } from "../rule.js";
import { showsWord } from "../statement-words.js";

const LOOKS = new Set(
  words(`
    head tail info describe value_counts nunique unique sample isnull isna notnull duplicated memory_usage skew kurt
    kurtosis corr crosstab keys most_common size count summary quantile idxmax idxmin nlargest nsmallest mode shape
    dtypes columns dtype ndim index values iloc loc
  `),
);

export const showsTables: Rule = {
  name: "shows-tables",
  label: "validate_data",
  description: "Shows what a look at a table gives; assigned or passed on, it is shown to nobody.",
  strength: 0.85,
  when: (facts) => showsWord(facts, LOOKS),
};
