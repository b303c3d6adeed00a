import { type Rule, words } from "../rule.js";

export const decoratesPlots: Rule = {
  name: "decorates-plots",
  label: "visualize_data",
  description: "Sets up figures, axes, titles and legends.",
  strength: 0.9,
  any: {
    methods: words(`
      figure subplots subplot title xlabel ylabel xticks yticks legend xlim ylim suptitle tight_layout set_title
      set_xlabel set_ylabel set_xticklabels set_yticklabels savefig add_subplot annotate grid axis update_layout
      update_traces colorbar set_xlim set_ylim despine gca gcf add_axes text set_xticks background_gradient
    `),
    keywords: ["figsize", "cmap", "hue", "annot"],
    names: ["plt", "sns", "px", "ggplot"],
  },
};
