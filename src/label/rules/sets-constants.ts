import type { Rule } from "../rule.js";

export const setsConstants: Rule = {
  name: "sets-constants",
  label: "setup_notebook",
  description: "Writes down parameters: nothing but values given names.",
  strength: 0.6,
  when: ({ statements }) => statements.length > 0 && statements.every(({ kind }) => kind === "assign-constant"),
};
