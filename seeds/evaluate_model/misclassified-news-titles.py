wrong = np.flatnonzero(news_pred != news_test["category"].values)
print(len(wrong), "of", len(news_test), "headlines are wrong")
for i in wrong[:15]:
    row = news_test.iloc[i]
    print(f"{row['category']:>10} -> {news_pred[i]:<10} | {row['headline'][:80]}")
