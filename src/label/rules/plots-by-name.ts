import { type Rule, words } from "../rule.js";

export const plotsByName: Rule = {
  name: "plots-by-name",
  label: "visualize_data",
  description: "Calls something whose name says that it draws.",
  strength: 0.85,
  any: {
    calls: words(`
      plot draw visualize show_images plotting visualise show_image display_image scatter histogram graph chart
    `),
  },
  unless: {
    methods: ["plot"],
  },
};
