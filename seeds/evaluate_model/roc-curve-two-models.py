plt.figure(figsize=(7, 6))
for label, est in {"Naive Bayes": nb, "Random forest": forest}.items():
    scores = est.predict_proba(X_eval)[:, 1]
    fpr, tpr, thr = roc_curve(y_eval, scores)
    plt.plot(fpr, tpr, lw=2, label=f"{label} (AUC = {auc(fpr, tpr):.3f})")
plt.plot([0, 1], [0, 1], "k--", lw=1)
plt.xlabel("False positive rate")
plt.ylabel("True positive rate")
plt.legend(loc="lower right")
plt.show()
