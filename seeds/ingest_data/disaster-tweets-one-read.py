tweets = pd.read_csv("../input/nlp-getting-started/train.csv", encoding="latin-1", usecols=["id", "text", "target"])
