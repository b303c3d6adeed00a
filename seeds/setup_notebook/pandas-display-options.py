pd.set_option("display.max_columns", 120)
pd.set_option("display.max_rows", 200)
pd.set_option("display.float_format", "{:.3f}".format)
pd.options.mode.chained_assignment = None
