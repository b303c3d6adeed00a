all_probs = []
for state_file in sorted(glob("../input/whale-weights/*.pt")):
    whale_net.load_state_dict(torch.load(state_file, map_location=device))
    whale_net.eval()
    fold_probs = []
    with torch.no_grad():
        for batch in test_loader:
            batch = batch.to(device)
            # average of the original and the flipped picture
            p = whale_net(batch).softmax(1) + whale_net(batch.flip(-1)).softmax(1)
            fold_probs.append((p / 2).cpu().numpy())
    all_probs.append(np.concatenate(fold_probs))
top5 = np.mean(all_probs, axis=0).argsort(axis=1)[:, ::-1][:, :5]
sample["Id"] = [" ".join(id2name[t] for t in r) for r in top5]
sample.to_csv("submission.csv", index=False)
sample.head()
