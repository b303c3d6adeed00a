from wordcloud import WordCloud, STOPWORDS
plt.figure(figsize=(16, 6))
for pos, kind in enumerate(["ham", "spam"], start=1):
    corpus = " ".join(sms.loc[sms["label"] == kind, "message"])
    wc = WordCloud(width=800, height=500, background_color="white", stopwords=STOPWORDS, max_words=150).generate(corpus)
    plt.subplot(1, 2, pos)
    plt.imshow(wc, interpolation="bilinear")
    plt.title(kind.upper())
    plt.axis("off")
