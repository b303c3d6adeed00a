def objective(trial):
    c = trial.suggest_float("C", 1e-2, 1e3, log=True)
    eps = trial.suggest_float("epsilon", 1e-3, 1.0, log=True)
    kernel = trial.suggest_categorical("kernel", ["rbf", "linear", "poly"])
    svr = make_pipeline(StandardScaler(), SVR(C=c, epsilon=eps, kernel=kernel))
    return -cross_val_score(svr, Xs, ys, cv=4, scoring="neg_mean_absolute_error").mean()

study = optuna.create_study(direction="minimize", sampler=optuna.samplers.TPESampler(seed=5))
study.optimize(objective, n_trials=80, timeout=1800)
print(study.best_value, study.best_params)
