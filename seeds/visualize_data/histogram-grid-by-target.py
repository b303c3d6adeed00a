fig, axes = plt.subplots(4, 5, figsize=(22, 14))
for ax, var in zip(axes.ravel(), [f"var_{i}" for i in range(20)]):
    ax.hist(santander.loc[santander.target == 0, var], bins=60, alpha=0.5, density=True, label="0")
    ax.hist(santander.loc[santander.target == 1, var], bins=60, alpha=0.5, density=True, label="1")
    ax.set_title(var)
axes[0, 0].legend()
plt.tight_layout()
