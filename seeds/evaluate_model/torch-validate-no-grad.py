@torch.no_grad()
def validate(network, loader):
    network.eval()
    hits, seen, losses = 0, 0, []
    for inputs, targets in loader:
        inputs, targets = inputs.cuda(), targets.cuda()
        logits = network(inputs)
        losses.append(F.cross_entropy(logits, targets).item())
        hits += (logits.argmax(dim=1) == targets).sum().item()
        seen += targets.numel()
    return np.mean(losses), hits / seen

v_loss, v_acc = validate(resnet, val_loader)
print(f"val loss: {v_loss:.4f} | val acc: {v_acc:.2%}")
