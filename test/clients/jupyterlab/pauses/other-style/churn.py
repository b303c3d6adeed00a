# %% [markdown]
# # Telco churn: EDA and a first baseline
# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
%matplotlib inline
import warnings
warnings.‸filterwarnings('ignore')
# %%
train = pd.read_csv('../input/telco/train.csv')
test = ‸pd.read_csv('../input/telco/test.csv')
print(train.shape, ‸test.shape)
# kernel train DataFrame id tenure contract monthly_charges total_charges churn
# kernel test DataFrame id tenure contract monthly_charges total_charges
# %%
train.‸head()
# %%
train.isnull().‸sum()
# %% [markdown]
# ## Target
# %%
sns.countplot(x=‸'churn', data=train)
plt.title('Churn')
‸plt.show()
# %%
plt.figure(‸figsize=(10, 6))
sns.heatmap(train.corr(), ‸annot=True, cmap='coolwarm')
plt.show()
# %%
for col in ['tenure', 'monthly_charges', 'total_charges']:
    plt.figure(figsize=(8, 4))
    sns.histplot(‸train[col], kde=True)
    ‸plt.title(col)
    plt.show()
# %% [markdown]
# ## Features
# %%
from sklearn.preprocessing import LabelEncoder
le = ‸LabelEncoder()
train['contract'] = le.‸fit_transform(train['contract'])
test['contract'] = ‸le.transform(test['contract'])
# kernel le LabelEncoder
# %%
train['total_charges'].fillna(‸train['total_charges'].median(), inplace=True)
# %%
X = train.drop(‸['id', 'churn'], axis=1)
y = ‸train['churn']
# kernel X DataFrame tenure contract monthly_charges total_charges
# kernel y Series
# %%
from sklearn.model_selection import StratifiedKFold
from sklearn.metrics import roc_auc_score
import lightgbm as lgb

skf = StratifiedKFold(‸n_splits=5, shuffle=True, random_state=42)
oof = np.zeros(‸len(train))
preds = ‸np.zeros(len(test))
# kernel skf StratifiedKFold
# kernel oof ndarray
# kernel preds ndarray
# %%
for fold, (trn_idx, val_idx) in enumerate(‸skf.split(X, y)):
    X_trn, y_trn = X.iloc[trn_idx], ‸y.iloc[trn_idx]
    X_val, y_val = ‸X.iloc[val_idx], y.iloc[val_idx]
    clf = lgb.LGBMClassifier(n_estimators=500, ‸learning_rate=0.05)
    clf.fit(‸X_trn, y_trn)
    oof[val_idx] = ‸clf.predict_proba(X_val)[:, 1]
    preds += clf.predict_proba(‸test.drop('id', axis=1))[:, 1] / 5
print(roc_auc_score(‸y, oof))
# %%
sub = pd.DataFrame({'id': test['id'], ‸'churn': preds})
sub.to_csv(‸'submission.csv', index=False)
