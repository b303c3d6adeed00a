submission = pd.DataFrame({
    "PassengerId": titanic_test["PassengerId"],
    "Survived": final_model.predict(X_submit).astype(int),
})
assert len(submission) == 418
submission.to_csv("submission.csv", index=False)
