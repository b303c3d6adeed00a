import { type Rule, words } from "../rule.js";

export const inspectsTables: Rule = {
  name: "inspects-tables",
  label: "validate_data",
  description: "Looks at a table: first rows, types, missing values, counts.",
  strength: 0.6,
  any: {
    methods: words(`
      head tail info describe value_counts nunique sample isnull isna notnull duplicated memory_usage skew kurt
      kurtosis corr crosstab glimpse keys most_common is_unique infer_objects get_shape size count summary
      ProfileReport profile_report list_tables table_schema estimate_query_size idxmax idxmin quantile
    `),
    attributes: ["shape", "dtypes", "columns", "dtype", "ndim"],
    calls: ["missing_values", "profile_report", "check_null", "missing_data", "type_of_target", "check_missing"],
  },
};
