import type { Rule } from "../rule.js";

const SHOWN: ReadonlySet<string> = new Set(["name", "attribute", "subscript", "expression"]);

export const showsValue: Rule = {
  name: "shows-value",
  label: "validate_data",
  description: "Ends with a value that the notebook will show.",
  strength: 0.9,
  when: ({ statements }) => {
    const last = statements.at(-1);
    return last !== undefined && last.indent === 0 && SHOWN.has(last.kind);
  },
};
