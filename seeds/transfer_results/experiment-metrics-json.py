experiment = {
    "name": "baseline_lgbm",
    "created": datetime.now().isoformat(timespec="seconds"),
    "cv_scores": [float(s) for s in fold_scores],
    "cv_mean": float(np.mean(fold_scores)),
    "n_features": X_full.shape[1],
}
log_path = Path("experiments.json")
log = json.loads(log_path.read_text()) if log_path.exists() else []
log.append(experiment)
log_path.write_text(json.dumps(log, indent=2))
