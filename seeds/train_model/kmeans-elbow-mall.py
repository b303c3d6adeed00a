shoppers = mall[["Annual Income", "Spending Score"]].to_numpy()
inertias = {}
for n in range(2, 13):
    km = KMeans(n_clusters=n, n_init=10, random_state=42).fit(shoppers)
    inertias[n] = km.inertia_
pd.Series(inertias).plot(marker="o", title="Elbow plot", xlabel="clusters", ylabel="inertia")
mall["segment"] = KMeans(n_clusters=5, n_init=10, random_state=42).fit_predict(shoppers)
mall.groupby("segment").mean(numeric_only=True)
