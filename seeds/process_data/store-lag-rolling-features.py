sales = sales.sort_values(["store", "item", "date"])
by_item = sales.groupby(["store", "item"])["units"]
for lag in (7, 14, 28, 91):
    sales[f"lag_{lag}"] = by_item.shift(lag)
for win in (7, 30):
    sales[f"roll_mean_{win}"] = by_item.transform(lambda s: s.shift(1).rolling(win).mean())
    sales[f"roll_std_{win}"] = by_item.transform(lambda s: s.shift(1).rolling(win).std())
sales = sales.dropna().reset_index(drop=True)
