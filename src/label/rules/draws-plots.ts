import { type Rule, words } from "../rule.js";

export const drawsPlots: Rule = {
  name: "draws-plots",
  label: "visualize_data",
  description: "Draws with a plotting library.",
  strength: 0.95,
  any: {
    methods: words(`
      plot show scatter hist bar barh boxplot violinplot distplot countplot barplot heatmap pairplot jointplot
      lineplot scatterplot catplot factorplot lmplot regplot kdeplot swarmplot stripplot boxenplot histplot displot
      relplot pointplot residplot rugplot clustermap FacetGrid PairGrid pie imshow matshow contourf contour stackplot
      errorbar hexbin iplot pcolormesh plot_surface probplot qqplot radviz scatter_matrix parallel_coordinates
      add_trace Choropleth choropleth Scatter Bar Pie Histogram Heatmap Box Figure Layout plot_top_losses show_batch
      show_results plot_confusion_matrix plot_losses axvline axhline fill_between quiver line area treemap sunburst
      funnel density_heatmap density_contour scatter_3d scatter_mapbox scatter_geo scatter_polar line_polar line_3d
      choropleth_mapbox violin hist2d semilogx semilogy loglog polar streamplot eventplot dendrogram waveplot waveshow
      specshow specgram draw_networkx ecdfplot poof mark_bar mark_line mark_point mark_circle vbar hbar Map Marker
      add_child andrews_curves lag_plot autocorrelation_plot bootstrap_plot summary_plot force_plot dependence_plot
      plot_tree plot_importance bar3d
    `),
    // The accessor of pandas: `df.plot.area()`.
    attributes: ["plot"],
    calls: words(`
      ggplot iplot heatmap pairplot barplot countplot distplot boxplot scatterplot lineplot catplot imshow WordCloud
      scatter_matrix plot_model export_graphviz create_distplot lmplot kdeplot px_scatter make_subplots CircleMarker
      add_to HeatMap MarkerCluster violinplot stripplot swarmplot histplot displot jointplot relplot pointplot regplot
      clustermap dendrogram treemap sunburst plot_tree plot_importance facet_grid
    `),
    names: words("ConfusionMatrixDisplay RocCurveDisplay PrecisionRecallDisplay DetCurveDisplay CalibrationDisplay"),
  },
};
