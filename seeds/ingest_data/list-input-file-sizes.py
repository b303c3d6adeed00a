for p in sorted(Path("/kaggle/input").rglob("*")):
    if p.is_file():
        print(f"{p.stat().st_size / 2**20:9.2f} MB  {p}")
