%%time
rf_grid = {
    "n_estimators": [100, 300, 500],
    "max_depth": [None, 8, 16],
    "min_samples_leaf": [1, 3, 5],
    "max_features": ["sqrt", 0.5],
}
gs = GridSearchCV(RandomForestClassifier(random_state=0), rf_grid, cv=5, scoring="f1_macro", n_jobs=-1, verbose=1)
gs.fit(features, target)
print("Best params:", gs.best_params_)
print("Best CV f1 :", gs.best_score_)
