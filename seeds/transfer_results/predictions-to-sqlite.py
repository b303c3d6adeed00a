from sqlalchemy import create_engine
engine = create_engine("sqlite:///predictions.db")
scored["scored_at"] = pd.Timestamp.now()
scored.to_sql("churn_scores", engine, if_exists="append", index=False, chunksize=1000)
pd.read_sql("SELECT COUNT(*) AS n FROM churn_scores", engine)
