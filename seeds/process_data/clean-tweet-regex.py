def clean_text(text):
    text = text.lower()
    text = re.sub(r"https?://\S+|www\.\S+", "", text)   # urls
    text = re.sub(r"<.*?>", "", text)                   # html tags
    text = re.sub(r"@\w+|#", "", text)
    text = text.translate(str.maketrans("", "", string.punctuation))
    words = [w for w in text.split() if w not in STOP and len(w) > 2]
    return " ".join(words)

tweets["clean"] = tweets["text"].apply(clean_text)
tweets[["text", "clean"]].sample(5)
