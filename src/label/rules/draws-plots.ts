import { type Rule, words } from "../rule.js";

export const drawsPlots: Rule = {
  name: "draws-plots",
  label: "visualize_data",
  description: "Draws with a plotting library.",
  strength: 0.95,
  any: {
    methods: words(`
      plot show scatter hist bar barh boxplot violinplot distplot countplot barplot heatmap pairplot jointplot
      lineplot scatterplot catplot factorplot lmplot regplot kdeplot swarmplot stripplot boxenplot histplot
      displot relplot pointplot residplot rugplot clustermap FacetGrid PairGrid pie imshow matshow contourf
      contour stackplot errorbar hexbin iplot pcolormesh plot_surface probplot qqplot radviz scatter_matrix
      parallel_coordinates add_trace Choropleth choropleth Scatter Bar Pie Histogram Heatmap Box Figure Layout
      plot_top_losses show_batch show_results plot_confusion_matrix plot_losses axvline axhline fill_between
      quiver
    `),
    // The accessor of pandas: `df.plot.area()`.
    attributes: ["plot"],
    calls: words(`
      ggplot iplot heatmap pairplot barplot countplot distplot boxplot scatterplot lineplot catplot imshow
      WordCloud scatter_matrix plot_model export_graphviz create_distplot lmplot kdeplot px_scatter make_subplots
      CircleMarker add_to HeatMap MarkerCluster
    `),
  },
};
