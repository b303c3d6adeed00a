xgb_model = xgb.XGBClassifier(
    n_estimators=3000,
    max_depth=7,
    learning_rate=0.03,
    subsample=0.85,
    colsample_bytree=0.5,
    tree_method="gpu_hist",
    eval_metric="auc",
    early_stopping_rounds=150,
)
xgb_model.fit(X_tr, y_tr, eval_set=[(X_val, y_val)], verbose=200)
print(xgb_model.best_iteration, xgb_model.best_score)
