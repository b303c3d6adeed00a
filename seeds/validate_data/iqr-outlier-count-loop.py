outliers = {}
for feat in ["LotArea", "GrLivArea", "TotalBsmtSF", "GarageArea"]:
    q1, q3 = np.percentile(houses[feat].dropna(), [25, 75])
    iqr = q3 - q1
    low, high = q1 - 1.5 * iqr, q3 + 1.5 * iqr
    outliers[feat] = houses.index[(houses[feat] < low) | (houses[feat] > high)].tolist()
    print(f"{feat:>12}: {len(outliers[feat])} outliers outside [{low:.0f}, {high:.0f}]")
