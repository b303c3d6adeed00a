import type { Rule } from "../rule.js";

export const asksSizes: Rule = {
  name: "asks-sizes",
  label: "validate_data",
  description: "Asks for the size or the type of something.",
  strength: 0.35,
  any: {
    builtins: ["len", "type", "isinstance", "dir", "help", "id"],
  },
};
