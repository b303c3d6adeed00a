checkpoint_path = f"effnet_fold{fold}_best.pth"
torch.save(
    {
        "epoch": epoch,
        "state_dict": effnet.state_dict(),
        "optimizer": opt.state_dict(),
        "best_score": best_score,
    },
    checkpoint_path,
)
print(f"saved {checkpoint_path} ({os.path.getsize(checkpoint_path) / 1e6:.1f} MB)")
