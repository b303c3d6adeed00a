DATA = "../input/house-prices-advanced-regression-techniques"
train = pd.read_csv(f"{DATA}/train.csv", index_col="Id")
test = pd.read_csv(f"{DATA}/test.csv", index_col="Id")
print("train:", train.shape, "test:", test.shape)
train.head()
