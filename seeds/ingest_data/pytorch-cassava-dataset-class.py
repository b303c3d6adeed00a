class CassavaDataset(Dataset):
    def __init__(self, frame, root, transforms=None, with_label=True):
        self.frame = frame.reset_index(drop=True)
        self.root = Path(root)
        self.transforms = transforms
        self.with_label = with_label

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, idx):
        row = self.frame.loc[idx]
        image = np.array(Image.open(self.root / row.image_id).convert("RGB"))
        if self.transforms is not None:
            image = self.transforms(image=image)["image"]
        if not self.with_label:
            return image
        return image, torch.tensor(row.label, dtype=torch.long)

leaf_ds = CassavaDataset(train_df, "../input/cassava-leaf-disease-classification/train_images")
