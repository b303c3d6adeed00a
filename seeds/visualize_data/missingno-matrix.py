msno.matrix(weather.sample(500), figsize=(14, 6), color=(0.2, 0.4, 0.6));
