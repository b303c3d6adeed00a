import plotly.graph_objects as go
from plotly.subplots import make_subplots

btc = btc.loc["2021-01-01":"2021-06-30"]
fig = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.75, 0.25], vertical_spacing=0.03)
fig.add_trace(go.Candlestick(x=btc.index, open=btc.Open, high=btc.High, low=btc.Low, close=btc.Close, name="BTC"), row=1, col=1)
fig.add_trace(go.Scatter(x=btc.index, y=btc.Close.rolling(20).mean(), line=dict(color="orange"), name="SMA 20"), row=1, col=1)
fig.add_trace(go.Bar(x=btc.index, y=btc.Volume, marker_color="grey", name="Volume"), row=2, col=1)
fig.update_xaxes(rangeslider_visible=False)
fig.update_layout(template="plotly_dark", height=650)
fig.show()
