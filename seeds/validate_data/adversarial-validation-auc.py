# can a classifier tell train rows from test rows?
adv = pd.concat([trn.assign(is_test=0), tst.assign(is_test=1)], ignore_index=True)
adv_y = adv.pop("is_test")
adv = adv.select_dtypes("number").fillna(-999)
clf = lgb.LGBMClassifier(n_estimators=150, num_leaves=15, subsample=0.7)
proba = cross_val_predict(clf, adv, adv_y, cv=StratifiedKFold(5, shuffle=True, random_state=7), method="predict_proba")[:, 1]
print("adversarial AUC =", roc_auc_score(adv_y, proba))
clf.fit(adv, adv_y)
drift = pd.Series(clf.feature_importances_, index=adv.columns).nlargest(15)
drift
