def check_stationarity(series, alpha=0.05):
    stat, pvalue, lags, nobs, crit, _ = adfuller(series.dropna(), autolag="AIC")
    print(f"ADF statistic: {stat:.4f}   p-value: {pvalue:.4f}   lags: {lags}")
    for level, value in crit.items():
        print(f"\tcritical value ({level}): {value:.3f}")
    verdict = "stationary" if pvalue < alpha else "NOT stationary"
    print("=> the series is", verdict)

check_stationarity(passengers["count"])
check_stationarity(passengers["count"].diff(12))
