train_aug = A.Compose([
    A.RandomResizedCrop(256, 256, scale=(0.7, 1.0)),
    A.HorizontalFlip(p=0.5),
    A.ShiftScaleRotate(shift_limit=0.1, rotate_limit=30, p=0.6),
    A.OneOf([A.GaussNoise(), A.MotionBlur(blur_limit=5)], p=0.3),
    A.CoarseDropout(max_holes=8, p=0.4),
    A.Normalize(),
    ToTensorV2(),
])
valid_aug = A.Compose([A.Resize(256, 256), A.Normalize(), ToTensorV2()])
