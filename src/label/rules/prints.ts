import type { Rule } from "../rule.js";

export const prints: Rule = {
  name: "prints",
  label: "validate_data",
  description: "Prints or displays something.",
  strength: 0.8,
  any: {
    builtins: ["print", "display"],
    methods: ["display", "pprint"],
    calls: ["pprint"],
  },
};
