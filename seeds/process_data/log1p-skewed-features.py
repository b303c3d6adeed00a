skewness = all_data[numeric_feats].skew().abs()
to_log = skewness[skewness > 0.8].index.tolist()
print(len(to_log), "columns are skewed, e.g.", to_log[:4])
all_data[to_log] = np.log1p(all_data[to_log].clip(lower=0))
