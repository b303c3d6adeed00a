from glob import glob
parts = sorted(glob("../input/nyc-yellow-taxi/2019/*.parquet"))
taxi = pd.concat((pd.read_parquet(p, columns=["pickup_at", "trip_distance", "fare_amount"]) for p in parts))
print(f"{len(parts)} files, {len(taxi):,} trips")
