bureau_agg = bureau.groupby("SK_ID_CURR").agg({
    "DAYS_CREDIT": ["min", "max", "mean"],
    "AMT_CREDIT_SUM": ["sum", "mean"],
    "CREDIT_DAY_OVERDUE": "max",
    "CNT_CREDIT_PROLONG": "sum",
})
bureau_agg.columns = ["BURO_" + "_".join(c).upper() for c in bureau_agg.columns]
app = app.merge(bureau_agg, how="left", left_on="SK_ID_CURR", right_index=True)
del bureau, bureau_agg
