book = pd.read_excel("../input/energy-use/consumption.xlsx", sheet_name=None, skiprows=4, na_values=["..", "n/a"])
frames = []
for year, sheet in book.items():
    sheet["year"] = int(year)
    frames.append(sheet.dropna(how="all", axis=1))
energy = pd.concat(frames, ignore_index=True)
