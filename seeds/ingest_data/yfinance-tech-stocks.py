import yfinance as yf
from datetime import datetime, timedelta

tickers = ["AAPL", "GOOG", "MSFT", "AMZN"]
end = datetime.now()
start = end - timedelta(days=365 * 3)
stocks = {t: yf.download(t, start=start, end=end, progress=False) for t in tickers}
stocks["AAPL"].tail()
