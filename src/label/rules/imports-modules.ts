import type { Rule } from "../rule.js";

export const importsModules: Rule = {
  name: "imports-modules",
  label: "setup_notebook",
  description: "Imports a module.",
  strength: 0.97,
  when: ({ statements }) => statements.some(({ kind }) => kind === "import"),
};
