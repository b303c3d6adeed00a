# %% [markdown]
# # Which complaints are urgent?
# %%
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
# %%
complaints = pd.read_csv("complaints.csv")
complaints["urgent"].‸value_counts()
# kernel complaints DataFrame text product urgent
# %%
complaints = complaints.dropna(‸subset=["text"])
complaints["length"] = complaints["text"].‸str.len()
# %%
from sklearn.model_selection import train_test_split
X_train, X_test, y_train, y_test = train_test_split(
    complaints["text"], ‸complaints["urgent"], test_size=0.2, random_state=0
)
# kernel X_train Series
# kernel X_test Series
# kernel y_train Series
# kernel y_test Series
# %%
pipe = make_pipeline(TfidfVectorizer(min_df=3), ‸LogisticRegression(max_iter=1000))
‸pipe.fit(X_train, y_train)
# kernel pipe Pipeline
# %%
from sklearn.metrics import classification_report
y_pred = ‸pipe.predict(X_test)
print(‸classification_report(y_test, y_pred))
