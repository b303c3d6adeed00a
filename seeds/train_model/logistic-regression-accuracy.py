logreg = LogisticRegression(C=0.5, solver="liblinear", max_iter=500)
logreg.fit(X_train_scaled, y_train)
print("train accuracy: %.4f" % logreg.score(X_train_scaled, y_train))
print("test accuracy:  %.4f" % logreg.score(X_test_scaled, y_test))
