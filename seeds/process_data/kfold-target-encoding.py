def smoothed_means(part, col, target, prior, weight=20):
    g = part.groupby(col)[target].agg(["sum", "count"])
    return (g["sum"] + prior * weight) / (g["count"] + weight)

prior = tr["clicked"].mean()
folds = list(KFold(5, shuffle=True, random_state=0).split(tr))
for cat in ["city", "device_model", "browser"]:
    encoded_col = np.full(len(tr), prior)
    for fit_idx, enc_idx in folds:
        means = smoothed_means(tr.iloc[fit_idx], cat, "clicked", prior)
        encoded_col[enc_idx] = tr[cat].iloc[enc_idx].map(means).fillna(prior)
    tr[cat + "_te"] = encoded_col
    te[cat + "_te"] = te[cat].map(smoothed_means(tr, cat, "clicked", prior)).fillna(prior)
