lookback = 60
windows = np.stack([scaled[i - lookback:i, 0] for i in range(lookback, len(scaled))])[..., None]
nexts = scaled[lookback:, 0]
lstm = keras.Sequential([
    layers.LSTM(50, return_sequences=True, input_shape=(lookback, 1)),
    layers.Dropout(0.2),
    layers.LSTM(50),
    layers.Dense(1),
])
lstm.compile(optimizer="rmsprop", loss="mse")
lstm.fit(windows, nexts, epochs=40, batch_size=32, shuffle=False)
