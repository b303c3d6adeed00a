for ds in (titanic_train, titanic_test):
    ds["Title"] = ds["Name"].map(lambda s: s.split(", ")[1].split(".")[0])
    common = ds["Title"].value_counts().head(4).index
    ds["Title"] = ds["Title"].where(ds["Title"].isin(common), "Other")
    ds["Age"] = ds.groupby(["Title", "Pclass"])["Age"].transform(lambda a: a.fillna(a.median()))
    ds["Age"] = ds["Age"].fillna(ds["Age"].median())
    ds["Relatives"] = ds[["SibSp", "Parch"]].sum(axis=1)
