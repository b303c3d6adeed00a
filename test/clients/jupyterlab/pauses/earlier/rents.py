# %% [markdown]
# # Monthly rents
# %%
import pandas as pd
import numpy as np
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_squared_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
# %%
flats = pd.read_csv('flats.csv')
flats.shape
# %%
flats.describe()
# %% [markdown]
# Drop the outliers.
# %%
flats = flats[flats['rent'] < flats['rent'].quantile(0.95)]
# %%
# one column per city
flats = pd.get_dummies(flats, columns=['city'], drop_first=True)
# %%
target = flats.pop('rent')
X_train, X_test, y_train, y_test = train_test_split(flats, target, test_size=0.2, random_state=7)
# %%
scaler = StandardScaler()
X_train_scaled = scaler.fit_transform(X_train)
X_test_scaled = scaler.transform(X_test)
# %%
lr = Ridge(alpha=1)
lr.fit(X_train_scaled, y_train)
pred = lr.predict(X_test_scaled)
# %% [markdown]
# How far off are we?
# %%
rmse = np.sqrt(mean_squared_error(y_test, pred))
print(f'RMSE {rmse:.2f}, R2 {r2_score(y_test, pred):.3f}')
