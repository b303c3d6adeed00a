g = sns.pairplot(penguins, hue="species", corner=True, diag_kind="kde", plot_kws={"s": 18, "alpha": 0.6})
g.fig.suptitle("Palmer penguins", y=1.02)
