# the file has 180M rows, so only keep the positive clicks of each chunk
reader = pd.read_csv("../input/talkingdata/train.csv", chunksize=5_000_000, dtype={"ip": "uint32", "app": "uint16", "channel": "uint16"})
kept = []
for i, chunk in enumerate(reader):
    kept.append(chunk[chunk["is_attributed"] == 1])
    print(i, sum(map(len, kept)), end="\r")
clicks = pd.concat(kept, ignore_index=True)
del kept
gc.collect()
