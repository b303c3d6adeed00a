latest = covid[covid["date"] == covid["date"].max()]
fig = px.choropleth(
    latest,
    locations="iso_code",
    color="total_cases_per_million",
    hover_name="location",
    color_continuous_scale=px.colors.sequential.OrRd,
    title="Covid-19 cases per million inhabitants",
)
fig.update_layout(margin=dict(l=0, r=0, t=40, b=0))
fig.show()
