import type { Rule } from "../rule.js";

export const displays: Rule = {
  name: "displays",
  label: "visualize_data",
  description: "Displays an object in the notebook's own form: a table, an image, HTML.",
  strength: 0.7,
  any: {
    builtins: ["display"],
    methods: ["display"],
  },
};
