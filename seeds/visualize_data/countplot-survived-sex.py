sns.countplot(x="Survived", hue="Sex", data=titanic_train, palette="pastel");
