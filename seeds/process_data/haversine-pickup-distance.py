def haversine(lat1, lng1, lat2, lng2):
    R = 6371  # km
    lat1, lng1, lat2, lng2 = map(np.radians, (lat1, lng1, lat2, lng2))
    a = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lng2 - lng1) / 2) ** 2
    return 2 * R * np.arcsin(np.sqrt(a))

trips["dist_km"] = haversine(trips.pickup_latitude, trips.pickup_longitude, trips.dropoff_latitude, trips.dropoff_longitude)
trips = trips.query("0.1 < dist_km < 60")
