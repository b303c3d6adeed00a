from sklearn.metrics import silhouette_score, davies_bouldin_score
for k in [2, 3, 4, 5, 6, 8]:
    assigned = AgglomerativeClustering(n_clusters=k).fit_predict(rfm_scaled)
    print(k, round(silhouette_score(rfm_scaled, assigned), 3), round(davies_bouldin_score(rfm_scaled, assigned), 3), np.bincount(assigned))
