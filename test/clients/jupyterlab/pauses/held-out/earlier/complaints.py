# %% [markdown]
# # Urgent complaints
# %%
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
# %%
complaints = pd.read_csv("complaints_2021.csv")
complaints["urgent"].value_counts()
# %%
complaints = complaints.dropna(subset=["text"])
# %%
from sklearn.model_selection import train_test_split
X_train, X_test, y_train, y_test = train_test_split(
    complaints["text"], complaints["urgent"], test_size=0.25
)
# %%
pipe = make_pipeline(CountVectorizer(), MultinomialNB())
pipe.fit(X_train, y_train)
# %%
from sklearn.metrics import accuracy_score
y_pred = pipe.predict(X_test)
print(accuracy_score(y_test, y_pred))
