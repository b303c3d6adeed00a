import type { Rule } from "../rule.js";

export const assignsColumns: Rule = {
  name: "assigns-columns",
  label: "process_data",
  description: "Writes into a column, an element or an attribute.",
  strength: 0.6,
  when: ({ statements }) => statements.some(({ kind }) => kind === "assign-subscript" || kind === "assign-attribute"),
};
