def fix_seeds(seed: int = 1337):
    os.environ["PYTHONHASHSEED"] = str(seed)
    for setter in (random.seed, np.random.seed, torch.manual_seed, torch.cuda.manual_seed_all):
        setter(seed)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True

SEED = 2021
fix_seeds(SEED)
