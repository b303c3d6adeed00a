# %% [markdown]
# # Which desk wrote the headline?
# %%
import re
from collections import ‸Counter

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
# %%
news = pd.read_csv("headlines.csv")
news = news.dropna(‸subset=["headline", "desk"])
news["desk"].‸value_counts()
# kernel news DataFrame headline desk date
# %%
def clean(text):
    text = text.lower()
    text = re.sub(‸r"[^a-z ]", " ", text)
    return ‸text.split()

news["words"] = news["headline"].‸apply(clean)
# %%
counts = Counter()
for words in ‸news["words"]:
    counts.‸update(words)
top = pd.DataFrame(counts.most_common(20), columns=[‸"word", "count"])
# kernel counts Counter
# kernel top DataFrame word count
# %%
plt.figure(figsize=(8, 6))
sns.barplot(data=top, ‸x="count", y="word")
plt.title("Most frequent words")
plt.show()
# %%
from sklearn.feature_extraction.text import ‸TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB
from sklearn.metrics import classification_report

X_train, X_test, y_train, y_test = train_test_split(‸news["headline"], news["desk"], test_size=0.2, random_state=1)
# kernel X_train Series
# kernel X_test Series
# kernel y_train Series
# kernel y_test Series
# %%
vectorizer = TfidfVectorizer(‸stop_words="english", min_df=3)
Z_train = vectorizer.fit_transform(‸X_train)
Z_test = vectorizer.‸transform(X_test)
# kernel vectorizer TfidfVectorizer
# kernel Z_train csr_matrix
# kernel Z_test csr_matrix
# %%
bayes = MultinomialNB()
bayes.fit(‸Z_train, y_train)
print(classification_report(y_test, bayes.‸predict(Z_test)))
