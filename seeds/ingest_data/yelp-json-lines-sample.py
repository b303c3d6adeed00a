with open("../input/yelp-dataset/yelp_academic_dataset_review.json", encoding="utf8") as fin:
    records = [json.loads(next(fin)) for _ in range(250_000)]
yelp = pd.DataFrame.from_records(records, columns=["review_id", "stars", "useful", "text", "date"])
yelp["date"] = pd.to_datetime(yelp["date"])
yelp.stars.value_counts()
