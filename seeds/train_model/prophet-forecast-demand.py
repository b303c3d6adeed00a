from prophet import Prophet
prophet_df = demand.rename(columns={"date": "ds", "sold": "y"})[["ds", "y"]]
m_prophet = Prophet(yearly_seasonality=True, weekly_seasonality=True, changepoint_prior_scale=0.1)
m_prophet.add_country_holidays(country_name="US")
m_prophet.fit(prophet_df)
future = m_prophet.make_future_dataframe(periods=90)
forecast = m_prophet.predict(future)
m_prophet.plot_components(forecast)
