import numpy as np  # linear algebra
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
from scipy import stats
%matplotlib inline
plt.rcParams["figure.figsize"] = (12, 5)
