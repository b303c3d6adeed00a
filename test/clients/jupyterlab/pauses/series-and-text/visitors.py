# %% [markdown]
# # Visitors of the city museum
# Daily tickets since 2015. How many visitors come next month?
# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import statsmodels.api as sm
from statsmodels.tsa.seasonal import ‸seasonal_decompose
# %%
tickets = pd.read_csv("tickets.csv", index_col="day", ‸parse_dates=True)
visitors = tickets["visitors"].‸asfreq("D")
visitors = visitors.ffill()
# kernel tickets DataFrame visitors price
# kernel visitors Series
# %%
fig, ax = plt.subplots(‸figsize=(12, 4))
ax.plot(‸visitors)
ax.set_title("Visitors per day")
ax.set_ylabel(‸"visitors")
plt.show()
# kernel fig Figure
# kernel ax Axes
# %%
monthly = visitors.resample("M").‸sum()
yearly = visitors.‸resample("Y").sum()
# kernel monthly Series
# kernel yearly Series
# %%
rolling = visitors.rolling(‸30).mean()
plt.figure(figsize=(12, 4))
plt.plot(visitors, alpha=0.3, label=‸"daily")
plt.plot(rolling, ‸label="30 days")
plt.legend()
plt.show()
# kernel rolling Series
# %%
parts = seasonal_decompose(‸visitors, period=7)
parts.‸plot()
plt.show()
# kernel parts DecomposeResult
# %% [markdown]
# ## Forecast
# %%
train, test = visitors[:-60], ‸visitors[-60:]
# kernel train Series
# kernel test Series
# %%
model = sm.tsa.SARIMAX(train, order=(1, 1, 1), ‸seasonal_order=(1, 0, 1, 7))
fitted = model.‸fit(disp=False)
forecast = fitted.forecast(‸len(test))
# kernel model SARIMAX
# kernel fitted SARIMAXResultsWrapper
# kernel forecast Series
# %%
mae = np.mean(np.abs(‸test - forecast))
print(f"MAE {mae:.1f}")
