X_train, X_test, y_train, y_test = train_test_split(heart.drop("target", axis=1), heart["target"], test_size=0.2, stratify=heart["target"], random_state=42)
