import type { Rule } from "../rule.js";

export const prints: Rule = {
  name: "prints",
  label: "validate_data",
  description: "Prints something.",
  strength: 0.8,
  any: {
    builtins: ["print"],
    methods: ["pprint"],
    calls: ["pprint"],
  },
};
