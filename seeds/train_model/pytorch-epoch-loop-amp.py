scaler = torch.cuda.amp.GradScaler()
best_loss = float("inf")
for epoch in range(1, N_EPOCHS + 1):
    net.train()
    running = 0.0
    pbar = tqdm(train_loader, desc=f"epoch {epoch}")
    for xb, yb in pbar:
        xb, yb = xb.to(device), yb.to(device)
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():
            batch_loss = criterion(net(xb), yb)
        scaler.scale(batch_loss).backward()
        scaler.step(optimizer)
        scaler.update()
        running += batch_loss.item() * xb.size(0)
        pbar.set_postfix(loss=batch_loss.item())
    scheduler.step()
    print(f"epoch {epoch}: train loss {running / len(train_loader.dataset):.4f}")
