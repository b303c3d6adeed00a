# %% [markdown]
# # Bank churn, first look
# %%
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
%matplotlib inline
import warnings
warnings.filterwarnings('ignore')
# %%
train = pd.read_csv('../input/bank/train.csv')
test = pd.read_csv('../input/bank/test.csv')
print(train.shape, test.shape)
# %%
train.head()
# %%
train.isnull().sum()
# %%
sns.countplot(x='exited', data=train)
plt.title('Exited')
plt.show()
# %%
from sklearn.preprocessing import LabelEncoder
le = LabelEncoder()
train['country'] = le.fit_transform(train['country'])
test['country'] = le.transform(test['country'])
# %%
X = train.drop(['id', 'exited'], axis=1)
y = train['exited']
# %%
from sklearn.model_selection import KFold
from sklearn.metrics import roc_auc_score
import xgboost as xgb

kf = KFold(n_splits=5, shuffle=True, random_state=42)
oof = np.zeros(len(train))
preds = np.zeros(len(test))
for fold, (trn_idx, val_idx) in enumerate(kf.split(X, y)):
    X_trn, y_trn = X.iloc[trn_idx], y.iloc[trn_idx]
    X_val, y_val = X.iloc[val_idx], y.iloc[val_idx]
    clf = xgb.XGBClassifier(n_estimators=300, learning_rate=0.1)
    clf.fit(X_trn, y_trn)
    oof[val_idx] = clf.predict_proba(X_val)[:, 1]
print(roc_auc_score(y, oof))
