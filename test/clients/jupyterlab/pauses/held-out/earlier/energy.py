# %% [markdown]
# # Power use of an office building
# %%
import pandas as pd
import numpy as np
import matplotlib.pyplot as plt
# %%
meter = pd.read_csv("meter_2021.csv", parse_dates=["timestamp"])
weather = pd.read_csv("weather_2021.csv", parse_dates=["timestamp"])
meter.head()
# %%
meter.shape
# %%
df = meter.merge(weather, on="timestamp", how="left")
df.isna().sum()
# %%
df["temperature"] = df["temperature"].interpolate()
df = df.dropna(subset=["kwh"])
# %%
df["hour"] = df["timestamp"].dt.hour
df["weekday"] = df["timestamp"].dt.dayofweek
# %%
hourly = df.groupby("hour")["kwh"].mean()
hourly.plot(figsize=(10, 4))
plt.xlabel("Hour")
plt.ylabel("kWh")
plt.show()
# %%
plt.scatter(df["temperature"], df["kwh"], s=2, alpha=0.3)
plt.show()
# %%
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, mean_squared_error

columns = ["hour", "weekday", "temperature"]
train = df[df["timestamp"] < "2021-10-01"]
test = df[df["timestamp"] >= "2021-10-01"]
# %%
model = LinearRegression()
model.fit(train[columns], train["kwh"])
pred = model.predict(test[columns])
# %%
print("MAE", mean_absolute_error(test["kwh"], pred))
