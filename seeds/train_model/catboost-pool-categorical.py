cat_idx = np.where(X_fit.dtypes == "category")[0]
train_pool = Pool(X_fit, y_fit, cat_features=cat_idx)
eval_pool = Pool(X_hold, y_hold, cat_features=cat_idx)
cb = CatBoostRegressor(iterations=2000, depth=6, l2_leaf_reg=4, loss_function="MAE", od_wait=100, random_seed=8)
cb.fit(train_pool, eval_set=eval_pool, use_best_model=True, verbose=500)
