full_range = pd.date_range(meter.index.min(), meter.index.max(), freq="H")
gaps = full_range.difference(meter.index)
print("Missing hours:", len(gaps))
if len(gaps):
    print(gaps.to_series().dt.date.value_counts().head())
