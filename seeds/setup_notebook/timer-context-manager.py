@contextmanager
def timer(name):
    t0 = time.time()
    print(f"[{name}] start")
    yield
    elapsed = time.time() - t0
    print(f"[{name}] done in {elapsed:.1f} s")
