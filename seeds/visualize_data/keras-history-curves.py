log = pd.DataFrame(hist.history)
log.index += 1
fig, (a0, a1) = plt.subplots(ncols=2, figsize=(14, 4), sharex=True)
log[["loss", "val_loss"]].plot(ax=a0, style=["-", "--"], color="crimson", logy=True)
log[["accuracy", "val_accuracy"]].plot(ax=a1, style=["-", "--"], color="navy")
a1.axvline(log["val_accuracy"].idxmax(), color="grey", lw=0.8)  # best epoch
a0.set_xlabel("epoch")
fig.suptitle("Pneumonia CNN: loss and accuracy")
