cleaned_listings.to_csv("/kaggle/working/listings_clean.csv", index=False, compression=None)
