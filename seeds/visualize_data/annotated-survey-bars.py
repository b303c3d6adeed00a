def plot_answers(question, title, top=10, color="#20beff"):
    counts = survey[question].value_counts(normalize=True).head(top)[::-1] * 100
    fig, ax = plt.subplots(figsize=(9, 0.5 * len(counts) + 1))
    bars = ax.barh(counts.index, counts.values, color=color)
    bars[-1].set_color("#003f5c")
    for bar in bars:
        ax.annotate(f"{bar.get_width():.1f}%", (bar.get_width() + 0.4, bar.get_y() + 0.25))
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.get_xaxis().set_visible(False)
    ax.set_title(title, loc="left", fontweight="bold")
    return ax

plot_answers("Q5", "What is the job title of the respondents?")
plot_answers("Q7", "Programming language used every day", color="#7f7f7f")
