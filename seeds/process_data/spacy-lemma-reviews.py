nlp = spacy.load("en_core_web_sm", disable=["parser", "ner"])
lemmas = []
for doc in tqdm(nlp.pipe(reviews["review_body"].astype(str), batch_size=256, n_process=2), total=len(reviews)):
    lemmas.append([tok.lemma_.lower() for tok in doc if tok.is_alpha and not tok.is_stop])
reviews["lemmas"] = lemmas
reviews = reviews[reviews["lemmas"].str.len() > 0]
