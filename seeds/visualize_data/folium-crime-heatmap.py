import folium
from folium.plugins import HeatMap

m = folium.Map(location=[41.88, -87.63], zoom_start=11, tiles="CartoDB positron")
points = chicago[["Latitude", "Longitude"]].dropna().sample(5000, random_state=1)
HeatMap(points.values.tolist(), radius=9, blur=6).add_to(m)
m
