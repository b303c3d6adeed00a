order = airbnb.groupby("neighbourhood_group")["price"].median().sort_values().index
ax = sns.boxplot(data=airbnb[airbnb.price < 500], x="neighbourhood_group", y="price", order=order)
sns.despine(left=True)
ax.set_ylabel("price per night ($)")
ax.tick_params(axis="x", rotation=30)
