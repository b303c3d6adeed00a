wine.describe(percentiles=[0.01, 0.25, 0.5, 0.75, 0.99]).T.round(2)
