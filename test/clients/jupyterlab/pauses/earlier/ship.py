# %% [markdown]
# # Who survived?
# A first model on the passenger list.
# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
# %%
train = pd.read_csv("../input/train.csv")
test = pd.read_csv("../input/test.csv")
train.head()
# %%
train.describe()
# %%
train.isnull().sum()
# %% [markdown]
# ## A look at the data
# %%
sns.countplot(x="Survived", hue="Sex", data=train)
plt.title("Survivors and victims")
plt.show()
# %%
train.groupby("Pclass")["Survived"].mean()
# %% [markdown]
# ## Missing values
# %%
full = [train, test]
for df in full:
    df["Age"] = df["Age"].fillna(df["Age"].mean())
    df["Embarked"] = df["Embarked"].fillna("S")
    df["Fare"] = df["Fare"].fillna(df["Fare"].mean())
# %% [markdown]
# ## New columns
# %%
for df in full:
    df["FamilySize"] = df["SibSp"] + df["Parch"] + 1
    df["Sex"] = df["Sex"].map({"male": 0, "female": 1})
# %%
features = ["Pclass", "Sex", "Age", "Fare", "FamilySize"]
X = train[features]
y = train["Survived"]
# %% [markdown]
# ## Model
# %%
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=42)
# %%
model = RandomForestClassifier(n_estimators=300, max_depth=5, random_state=0)
model.fit(X_train, y_train)
# %%
from sklearn.metrics import accuracy_score
print(accuracy_score(y_val, model.predict(X_val)))
# %%
submission = pd.DataFrame({"PassengerId": test["PassengerId"], "Survived": model.predict(test[features])})
submission.to_csv("submission.csv", index=False)
