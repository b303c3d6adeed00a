import { type Rule, words } from "../rule.js";

export const plotsByName: Rule = {
  name: "plots-by-name",
  label: "visualize_data",
  description: "Calls something whose name says that it draws.",
  strength: 0.85,
  any: {
    calls: words(`
      plot draw visualize show_images plotting visualise show_image display_image scatter histogram graph chart
      show_img show_sample show_samples show_examples show_distribution display_images display_img view_image
      view_images view_img show_wordcloud diagram
    `),
  },
  unless: {
    methods: ["plot"],
  },
};
