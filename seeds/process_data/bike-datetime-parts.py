bikes["datetime"] = pd.to_datetime(bikes["datetime"])
bikes["hour"] = bikes["datetime"].dt.hour
bikes["weekday"] = bikes["datetime"].dt.dayofweek
bikes["month"] = bikes["datetime"].dt.month
bikes["rush"] = bikes["hour"].isin([7, 8, 17, 18]).astype(int)
bikes["hour_sin"] = np.sin(2 * np.pi * bikes["hour"] / 24)
bikes["hour_cos"] = np.cos(2 * np.pi * bikes["hour"] / 24)
bikes = bikes.drop(columns=["datetime", "casual", "registered"])
