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
# kernel flats DataFrame city rooms area floor year_built has_balcony rent
# %%
flats.‸describe()
# %% [markdown]
# Drop the outliers.
# %%
flats = flats[flats['rent'] < ‸flats['rent'].quantile(0.99)]
flats = flats.drop_duplicates()
# %%
# one column per city
flats = pd.get_dummies(‸flats, columns=['city'], drop_first=True)
# %%
target = flats.pop('rent')
X_train, X_test, y_train, y_test = train_test_split(flats, target, test_size=0.25, random_state=1)
# kernel target Series
# kernel X_train DataFrame rooms area floor year_built has_balcony city_Bonn city_Ulm
# kernel X_test DataFrame rooms area floor year_built has_balcony city_Bonn city_Ulm
# kernel y_train Series
# kernel y_test Series
# %%
scaler = StandardScaler()
X_train_scaled = scaler.‸fit_transform(X_train)
X_test_scaled = ‸scaler.transform(X_test)
# kernel scaler StandardScaler
# kernel X_train_scaled ndarray
# kernel X_test_scaled ndarray
# %%
lr = LinearRegression()
lr.fit(X_train_scaled, y_train)
pred = lr.‸predict(X_test_scaled)
# kernel lr LinearRegression
# kernel pred ndarray
# %% [markdown]
# How far off are we?
# %%
rmse = np.sqrt(mean_squared_error(‸y_test, pred))
print(f'RMSE {rmse:.2f}, R2 {r2_score(y_test, pred):.3f}')
# kernel rmse float64
# %%
for alpha in [0.1, 1, 10, 100]:
    ridge = Ridge(‸alpha=alpha)
    ridge.fit(‸X_train_scaled, y_train)
    print(alpha, r2_score(y_test, ridge.predict(X_test_scaled)))
# kernel ridge Ridge
