feature_blocks = {"tfidf": f_tfidf, "meta": f_meta, "stylo": f_stylo}
os.makedirs("features", exist_ok=True)
for block_name, block in feature_blocks.items():
    block.columns = block.columns.astype(str)
    block.reset_index(drop=True).to_feather(f"features/{block_name}.ftr")
