import { type Rule, words } from "../rule.js";

export const reshapesTables: Rule = {
  name: "reshapes-tables",
  label: "process_data",
  description: "Filters, joins, groups or reshapes tables.",
  strength: 0.8,
  any: {
    methods: words(`
      merge concat join append drop dropna fillna drop_duplicates replace rename astype apply applymap map groupby
      pivot pivot_table melt stack unstack reset_index set_index sort_values sort_index assign query reindex
      transpose resample rolling shift diff cumsum explode interpolate where mask clip cut qcut agg aggregate
      transform to_datetime to_numeric to_frame insert pop get_dummies isin between select_dtypes reindex_like
      bfill ffill update combine_first nlargest split
    `),
  },
};
