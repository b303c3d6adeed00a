from kaggle_secrets import UserSecretsClient
import wandb

secret = UserSecretsClient().get_secret("wandb_api")
wandb.login(key=secret)
run = wandb.init(
    project="feedback-prize",
    group="deberta-v3-base",
    config={"max_len": 1024, "folds": 4, "scheduler": "cosine"},
    job_type="train",
)
