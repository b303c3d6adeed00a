import { type Rule, words } from "../rule.js";

export const buildsArrays: Rule = {
  name: "builds-arrays",
  label: "process_data",
  description: "Builds or joins arrays, lists and tables.",
  strength: 0.5,
  any: {
    methods: words(`
      array zeros ones hstack vstack column_stack concatenate reshape log1p log expm1 sqrt DataFrame Series extend
      copy tolist ravel flatten from_dict to_dict arange asarray delete where stack argsort fillna cumsum
    `),
  },
};
