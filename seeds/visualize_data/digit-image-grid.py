rng = np.random.default_rng(3)
picks = rng.choice(len(digits_x), 25, replace=False)
plt.figure(figsize=(8, 8))
for k, j in enumerate(picks):
    plt.subplot(5, 5, k + 1)
    plt.imshow(digits_x[j].reshape(28, 28), cmap="gray_r")
    plt.xlabel(digits_y[j])
    plt.xticks([])
    plt.yticks([])
