import joblib
joblib.dump(pipe, "churn_pipeline.joblib", compress=3)
restored = joblib.load("churn_pipeline.joblib")
assert np.allclose(restored.predict_proba(X_check), pipe.predict_proba(X_check))
