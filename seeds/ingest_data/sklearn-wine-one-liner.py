X_wine, y_wine = load_wine(return_X_y=True, as_frame=True)
