oof = np.zeros(len(X))
sub_preds = np.zeros(len(X_sub))
params = {
    "objective": "regression", "metric": "rmse", "learning_rate": 0.02,
    "num_leaves": 63, "feature_fraction": 0.6, "bagging_fraction": 0.8,
    "bagging_freq": 1, "lambda_l2": 2.0, "verbosity": -1, "seed": 99,
}
kf = GroupKFold(n_splits=5)
for fold, (tr_ix, va_ix) in enumerate(kf.split(X, y, groups=groups)):
    dtrain = lgb.Dataset(X.iloc[tr_ix], y.iloc[tr_ix])
    dvalid = lgb.Dataset(X.iloc[va_ix], y.iloc[va_ix], reference=dtrain)
    booster = lgb.train(
        params, dtrain, num_boost_round=5000, valid_sets=[dvalid],
        callbacks=[lgb.early_stopping(100), lgb.log_evaluation(250)],
    )
    oof[va_ix] = booster.predict(X.iloc[va_ix])
    sub_preds += booster.predict(X_sub) / kf.get_n_splits()
    print(f"fold {fold}: rmse {np.sqrt(np.mean((oof[va_ix] - y.iloc[va_ix]) ** 2)):.5f}")
print("OOF rmse:", np.sqrt(np.mean((oof - y) ** 2)))
