# %% [markdown]
# # Visitors of the city library
# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from statsmodels.tsa.seasonal import seasonal_decompose
# %%
loans = pd.read_csv("loans.csv", index_col="day", parse_dates=True)
visitors = loans["visitors"].asfreq("D")
visitors = visitors.ffill()
# %%
fig, ax = plt.subplots(figsize=(12, 4))
ax.plot(visitors)
ax.set_title("Visitors per day")
plt.show()
# %%
monthly = visitors.resample("M").sum()
# %%
rolling = visitors.rolling(30).mean()
plt.figure(figsize=(12, 4))
plt.plot(visitors, alpha=0.3, label="daily")
plt.plot(rolling, label="30 days")
plt.legend()
plt.show()
# %%
parts = seasonal_decompose(visitors, period=7)
parts.plot()
plt.show()
# %%
train, test = visitors[:-30], visitors[-30:]
# %%
from statsmodels.tsa.holtwinters import ExponentialSmoothing
model = ExponentialSmoothing(train, seasonal="add", seasonal_periods=7)
fitted = model.fit()
forecast = fitted.forecast(len(test))
# %%
mae = np.mean(np.abs(test - forecast))
print(f"MAE {mae:.1f}")
