classifiers = [KNeighborsClassifier(7), DecisionTreeClassifier(max_depth=5), GaussianNB(), AdaBoostClassifier(), LinearDiscriminantAnalysis()]
results = []
for c in classifiers:
    cv_acc = cross_val_score(c, X_star, y_star, cv=10, scoring="accuracy", n_jobs=4)
    results.append((c.__class__.__name__, cv_acc.mean(), cv_acc.std()))
pd.DataFrame(results, columns=["classifier", "mean", "std"]).sort_values("mean", ascending=False)
