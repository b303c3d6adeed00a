loans.info(memory_usage="deep", show_counts=True)
