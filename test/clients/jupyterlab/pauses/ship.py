# %% [markdown]
# # Who survived?
# A first model on the passenger list.
# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
# %%
train = pd.read_csv(‸"data/train.csv")
test = pd.read_csv(‸"data/test.csv")
train.head()
# kernel train DataFrame PassengerId Survived Pclass Name Sex Age SibSp Parch Ticket Fare Cabin Embarked
# kernel test DataFrame PassengerId Pclass Name Sex Age SibSp Parch Ticket Fare Cabin Embarked
# %%
‸train.info()
# %%
train.isnull()‸.sum()
# %% [markdown]
# ## A look at the data
# %%
sns.countplot(‸x="Survived", hue="Sex", data=train)
plt.title("Survivors by sex")
‸plt.show()
# %%
train.groupby(‸"Pclass")["Survived"].mean()
# %% [markdown]
# ## Missing values
# %%
full = [train, test]
for df in full:
    df["Age"] = df["Age"].fillna(‸df["Age"].median())
    df["Embarked"] = df["Embarked"].‸fillna("S")
    df["Fare"] = ‸df["Fare"].fillna(df["Fare"].median())
# kernel full list
# kernel df DataFrame PassengerId Pclass Name Sex Age SibSp Parch Ticket Fare Cabin Embarked
# %% [markdown]
# ## New columns
# %%
for df in full:
    df["FamilySize"] = df["SibSp"] + ‸df["Parch"] + 1
    df["IsAlone"] = (df["FamilySize"] == 1).‸astype(int)
    df["Sex"] = df["Sex"].map({‸"male": 0, "female": 1})
# %%
features = ["Pclass", "Sex", ‸"Age", "Fare", "FamilySize", "IsAlone"]
X = train[features]
y = ‸train["Survived"]
# kernel features list
# kernel X DataFrame Pclass Sex Age Fare FamilySize IsAlone
# kernel y Series
# %% [markdown]
# ## Model
# %%
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import ‸train_test_split

X_train, X_val, y_train, y_val = ‸train_test_split(X, y, test_size=0.2, random_state=42)
# kernel X_train DataFrame Pclass Sex Age Fare FamilySize IsAlone
# kernel X_val DataFrame Pclass Sex Age Fare FamilySize IsAlone
# kernel y_train Series
# kernel y_val Series
# %%
model = RandomForestClassifier(n_estimators=‸100, random_state=42)
‸model.fit(X_train, y_train)
# kernel model RandomForestClassifier
# %%
from sklearn.metrics import accuracy_score
print(accuracy_score(‸y_val, model.predict(X_val)))
# %%
submission = pd.DataFrame({"PassengerId": test["PassengerId"], "Survived": model.predict(test[features])})
submission.to_csv(‸"submission.csv", index=False)
