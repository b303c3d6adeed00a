import { type Rule, words } from "../rule.js";

export const cleansText: Rule = {
  name: "cleans-text",
  label: "process_data",
  description: "Cleans or tokenises text.",
  strength: 0.85,
  any: {
    calls: words(`
      word_tokenize sent_tokenize fit_on_texts texts_to_sequences pad_sequences stem lemmatize stopwords strip_tags
      remove_punctuation clean_text WordNetLemmatizer PorterStemmer encode_plus batch_encode_plus tokenize
      RegexpTokenizer TweetTokenizer SnowballStemmer LancasterStemmer remove_stopwords pos_tag ngrams doc2bow demojize
      decontracted clean_tweet lemmatization
    `),
    methods: words(`
      sub findall lower upper strip translate maketrans zfill strptime strftime
    `),
  },
};
