sub_files = {"lgb_v7.csv": 0.5, "xgb_v3.csv": 0.3, "nn_v12.csv": 0.2}
blend = pd.read_csv("../input/ieee-fraud-detection/sample_submission.csv")
blend["isFraud"] = 0.0
for fn, weight in sub_files.items():
    part = pd.read_csv(f"../input/my-subs/{fn}")
    blend["isFraud"] += weight * part["isFraud"].rank(pct=True)
blend.to_csv("blend.csv", index=False, float_format="%.6f")
blend.describe()
