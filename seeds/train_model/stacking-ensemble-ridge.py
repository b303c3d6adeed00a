base = [
    ("lasso", make_pipeline(RobustScaler(), LassoCV(n_alphas=60, cv=3))),
    ("extra", ExtraTreesRegressor(n_estimators=400, min_samples_leaf=2, n_jobs=-1)),
    ("hgb", HistGradientBoostingRegressor(max_iter=600, learning_rate=0.04)),
]
stack = StackingRegressor(estimators=base, final_estimator=Ridge(), cv=5)
stack.fit(X_house, np.log1p(price))
