print("Python      :", sys.version.split()[0])
for lib in (np, pd, sklearn, lgb, xgb):
    print(f"{lib.__name__:<12}: {lib.__version__}")
!nvidia-smi
