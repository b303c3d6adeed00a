tfv = TfidfVectorizer(
    min_df=3, max_features=30000, strip_accents="unicode",
    analyzer="word", ngram_range=(1, 3), sublinear_tf=True,
)
essays_tfidf = tfv.fit_transform(essays["full_text"])
svd = TruncatedSVD(n_components=120, random_state=11)
essays_svd = StandardScaler().fit_transform(svd.fit_transform(essays_tfidf))
print("explained variance:", svd.explained_variance_ratio_.sum())
