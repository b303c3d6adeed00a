from statsmodels.tsa.seasonal import seasonal_decompose
decomposition = seasonal_decompose(beer["production"], model="multiplicative", period=12)
with plt.rc_context({"figure.figsize": (13, 8)}):
    decomposition.plot()
