!wget -q https://files.grouplens.org/datasets/movielens/ml-1m.zip
!unzip -qo ml-1m.zip -d /tmp/movielens
cols = ["user_id", "movie_id", "rating", "timestamp"]
ratings = pd.read_csv("/tmp/movielens/ml-1m/ratings.dat", sep="::", engine="python", names=cols)
