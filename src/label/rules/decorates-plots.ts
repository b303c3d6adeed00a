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
      update_traces colorbar set_xlim set_ylim despine gca gcf add_axes text set_xticks background_gradient set_yticks
      tick_params subplots_adjust set_size_inches clf cla get_xticklabels axhspan axvspan add_patch bar_label
      update_xaxes update_yaxes add_annotation add_shape add_legend set_facecolor set_axis_off invert_yaxis twinx
      twiny xscale yscale set_xscale set_yscale set_axis_labels set_titles color_palette get_cmap gridspec
      subplot2grid
    `),
    keywords: ["figsize", "cmap", "hue", "annot"],
    names: ["plt", "sns", "px", "ggplot"],
  },
};
