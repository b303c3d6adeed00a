best_t, best_f1 = 0.5, 0
for t in np.linspace(0.05, 0.95, 91):
    score = f1_score(val_y, (val_prob >= t).astype(int))
    if score > best_f1:
        best_t, best_f1 = t, score
print(f"best threshold {best_t:.2f} with F1 = {best_f1:.4f}")
