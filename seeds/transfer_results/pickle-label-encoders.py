with open("encoders.pkl", "wb") as handle:
    pickle.dump({name: le for name, le in encoders.items()}, handle, protocol=pickle.HIGHEST_PROTOCOL)
