import { type Rule, words } from "../rule.js";
import { assignsWord } from "../statement-words.js";

const CHANGES = new Set(
  words(`
    merge concat join append drop dropna fillna drop_duplicates replace rename astype apply applymap map groupby pivot
    pivot_table melt stack unstack reset_index set_index sort_values sort_index assign query reindex transpose
    resample rolling shift diff cumsum explode interpolate where mask clip cut qcut agg aggregate transform
    to_datetime to_numeric to_frame get_dummies isin between select_dtypes bfill ffill combine_first split
    fit_transform inverse_transform reshape resize array asarray concatenate hstack vstack DataFrame Series log1p log
    expm1 sqrt argmax flatten ravel expand_dims cvtColor strip lower upper
  `),
);

export const keepsReshaped: Rule = {
  name: "keeps-reshaped",
  label: "process_data",
  description: "Keeps what a change of data gives; as an argument of something else the change is only a means.",
  strength: 0.7,
  when: (facts) => assignsWord(facts, CHANGES),
};
