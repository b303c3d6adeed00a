class SegModel(pl.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = smp.Unet("resnet34", encoder_weights="imagenet", classes=4)
        self.dice = smp.losses.DiceLoss(mode="multilabel")

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        img, msk = batch
        step_loss = self.dice(self(img), msk)
        self.log("train_dice", step_loss, prog_bar=True)
        return step_loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)

pl.Trainer(max_epochs=12, accelerator="gpu", precision=16).fit(SegModel(), steel_loader)
