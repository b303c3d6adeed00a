# %% [markdown]
# # Power use of an office building
# Hourly meter readings of one year, with the weather beside them.
# %%
import pandas as pd
import numpy as np
import matplotlib.pyplot as plt
# %%
meter = pd.read_csv("meter.csv", ‸parse_dates=["timestamp"])
weather = pd.read_csv(‸"weather.csv", parse_dates=["timestamp"])
meter.head()
# kernel meter DataFrame timestamp building_id kwh
# kernel weather DataFrame timestamp temperature humidity wind_speed
# %%
‸meter.shape
# %%
df = meter.merge(weather, ‸on="timestamp", how="left")
df.isna()‸.sum()
# kernel df DataFrame timestamp building_id kwh temperature humidity wind_speed
# %% [markdown]
# ## Gaps
# %%
df["temperature"] = df["temperature"].‸interpolate()
df["humidity"] = ‸df["humidity"].interpolate()
df = df.dropna(subset=[‸"kwh"])
# %% [markdown]
# ## When is power used?
# %%
df["hour"] = df["timestamp"].dt.‸hour
df["weekday"] = ‸df["timestamp"].dt.dayofweek
df["month"] = df["timestamp"].‸dt.month
# %%
hourly = df.groupby(‸"hour")["kwh"].mean()
hourly.plot(‸figsize=(10, 4))
plt.xlabel("Hour of the day")
plt.ylabel(‸"kWh")
‸plt.show()
# kernel hourly Series
# %%
plt.scatter(df["temperature"], ‸df["kwh"], s=2, alpha=0.3)
plt.xlabel("Temperature")
plt.ylabel("kWh")
plt.show()
# %% [markdown]
# ## A model
# %%
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import mean_absolute_error, ‸mean_squared_error

columns = ["hour", "weekday", "month", "temperature", "humidity"]
train = df[df["timestamp"] < "2022-10-01"]
test = df[df["timestamp"] >= ‸"2022-10-01"]
# kernel columns list
# kernel train DataFrame timestamp building_id kwh temperature humidity wind_speed hour weekday month
# kernel test DataFrame timestamp building_id kwh temperature humidity wind_speed hour weekday month
# %%
model = GradientBoostingRegressor(‸random_state=0)
model.fit(train[columns], ‸train["kwh"])
pred = model.‸predict(test[columns])
# kernel model GradientBoostingRegressor
# kernel pred ndarray
# %%
print("MAE", mean_absolute_error(‸test["kwh"], pred))
print("RMSE", np.sqrt(‸mean_squared_error(test["kwh"], pred)))
