def shrink(frame, verbose=True):
    before = frame.memory_usage().sum() / 1024 ** 2
    int_types = [np.int8, np.int16, np.int32, np.int64]
    for name in frame.columns:
        kind = frame[name].dtype.kind
        if kind == "i":
            lo, hi = frame[name].min(), frame[name].max()
            for t in int_types:
                if np.iinfo(t).min <= lo and hi <= np.iinfo(t).max:
                    frame[name] = frame[name].astype(t)
                    break
        elif kind == "f":
            frame[name] = frame[name].astype(np.float32)
        elif frame[name].nunique() < 0.3 * len(frame):
            frame[name] = frame[name].astype("category")
    after = frame.memory_usage().sum() / 1024 ** 2
    if verbose:
        print(f"Memory: {before:.1f} MB -> {after:.1f} MB ({100 * (before - after) / before:.0f}% less)")
    return frame
