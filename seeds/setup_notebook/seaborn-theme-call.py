sns.set_theme(style="whitegrid", palette="muted", font_scale=1.15)
