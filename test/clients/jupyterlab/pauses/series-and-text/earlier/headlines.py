# %% [markdown]
# # Which shop sold the product?
# %%
import re
from collections import Counter

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
# %%
reviews = pd.read_csv("reviews.csv")
reviews = reviews.dropna(subset=["review", "shop"])
reviews["shop"].value_counts()
# %%
def clean(text):
    text = text.lower()
    text = re.sub(r"[^a-z ]", " ", text)
    return text.split()

reviews["words"] = reviews["review"].apply(clean)
# %%
counts = Counter()
for words in reviews["words"]:
    counts.update(words)
top = pd.DataFrame(counts.most_common(20), columns=["word", "count"])
# %%
plt.figure(figsize=(8, 6))
sns.barplot(data=top, x="count", y="word")
plt.show()
# %%
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

vectorizer = CountVectorizer(stop_words="english", min_df=5)
X = vectorizer.fit_transform(reviews["review"])
# %%
model = LogisticRegression(max_iter=1000)
model.fit(X, reviews["shop"])
