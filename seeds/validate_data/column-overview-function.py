def overview(data, n_samples=3):
    """Short report about every column of the data frame."""
    rows = []
    for c in data.columns:
        s = data[c]
        rows.append({
            "column": c,
            "dtype": s.dtype.name,
            "n_unique": s.nunique(),
            "null_%": round(100 * s.isna().mean(), 2),
            "top": s.mode().iloc[0] if s.notna().any() else None,
            "samples": s.dropna().unique()[:n_samples].tolist(),
        })
    report = pd.DataFrame(rows).set_index("column")
    return report.sort_values("null_%", ascending=False)

overview(application_train)
