MAX_LEN, VOCAB = 60, 50000
tokenizer = Tokenizer(num_words=VOCAB, oov_token="<unk>")
tokenizer.fit_on_texts(list(quora_train["question_text"]))
seq_train = tokenizer.texts_to_sequences(quora_train["question_text"])
seq_test = tokenizer.texts_to_sequences(quora_test["question_text"])
pad_train = pad_sequences(seq_train, maxlen=MAX_LEN, padding="post", truncating="post")
pad_test = pad_sequences(seq_test, maxlen=MAX_LEN, padding="post", truncating="post")
