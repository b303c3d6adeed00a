class CFG:
    debug = False
    backbone = "tf_efficientnet_b3_ns"
    img_size = 384
    train_bs = 24
    valid_bs = 48
    epochs = 8
    lr = 3e-4
    min_lr = 1e-6
    weight_decay = 1e-5
    n_fold = 5
    trn_folds = [0, 1, 2, 3, 4]
    num_workers = 4
    device = "cuda:0" if torch.cuda.is_available() else "cpu"

if CFG.debug:
    CFG.epochs = 1
    CFG.trn_folds = [0]
