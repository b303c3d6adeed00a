import type { Rule } from "../rule.js";

export const runsMagics: Rule = {
  name: "runs-magics",
  label: "setup_notebook",
  description: "Runs a magic of the notebook.",
  strength: 0.8,
  when: ({ magics }) => [...magics].some((magic) => magic.startsWith("%")),
};
