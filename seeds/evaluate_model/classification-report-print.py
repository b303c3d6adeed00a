print(classification_report(y_test, svc.predict(X_test), target_names=["negative", "neutral", "positive"], digits=3))
