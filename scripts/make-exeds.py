"""Makes the problems of `celrec eval exeds` and their data: python scripts/make-exeds.py

Run it after changing a problem, with a Python that has jupyter_client, ipykernel, pandas, scipy and scikit-learn. The data are
invented, from a fixed seed; the expected outputs are those of the reference cells in a kernel of our own driver.
"""

import json
import os
import random
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "examples", "exeds")


def rows(seed, count, make):
    source = random.Random(seed)
    return [make(source, number) for number in range(count)]


def sales(source, number):
    month = 1 + number % 12
    product = source.choice(["tea", "coffee", "cocoa", "juice"])
    region = source.choice(["north", "south", "east", "west"])
    units = source.randint(1, 40)
    price = round(source.uniform(2, 9), 2)
    return [f"2023-{month:02d}-{source.randint(1, 28):02d}", region, product, units, price]


def people(source, number):
    age = source.randint(18, 80)
    income = "" if source.random() < 0.1 else round(15000 + age * 310 + source.gauss(0, 9000))
    return [f"p{number:03d}", age, source.choice(["Lund", "Graz", "Porto", "Cork"]), income, source.choice(["yes", "no"])]


def sensors(source, number):
    temperature = round(12 + 8 * ((number % 24) / 24) + source.gauss(0, 1.5), 2)
    return [f"s{1 + number % 4}", number // 4, temperature, round(80 - 1.7 * temperature + source.gauss(0, 3), 1)]


def students(source, number):
    hours = round(source.uniform(0, 10), 1)
    maths = min(100, max(0, round(35 + 5.5 * hours + source.gauss(0, 9))))
    reading = min(100, max(0, round(45 + 0.4 * maths + source.gauss(0, 8))))
    return [f"st{number:02d}", source.choice("ABC"), hours, maths, reading, int(maths >= 60)]


def flights(source, number):
    distance = source.randint(200, 4200)
    delay = round(source.gauss(6, 18) + (9 if number % 7 == 5 else 0))
    origin = source.choice(["OSL", "VIE", "LIS", "DUB", "RIX"])
    return [source.choice(["AQ", "BX", "CZ"]), origin, 1 + source.randint(0, 11), distance, delay]


DATA = {
    "sales": (["date", "region", "product", "units", "price"], rows(1, 160, sales)),
    "people": (["id", "age", "city", "income", "married"], rows(2, 120, people)),
    "sensors": (["sensor", "hour", "temperature", "humidity"], rows(3, 192, sensors)),
    "students": (["student", "group", "hours", "maths", "reading", "passed"], rows(4, 90, students)),
    "flights": (["carrier", "origin", "month", "distance", "delay"], rows(5, 200, flights)),
}

LOAD = "df = pd.read_csv('{0}.csv')"
PANDAS = "import pandas as pd\nimport numpy as np"

# (data, cells between loading and the problem, intent, reference)
PROBLEMS = [
    ("sales", [], "How many rows and columns does the table have?", "df.shape"),
    ("sales", [], "Show the first three rows.", "df.head(3)"),
    ("sales", [], "What is the mean price?", "df['price'].mean()"),
    ("sales", [], "How many units were sold of each product?", "df.groupby('product')['units'].sum()"),
    ("sales", [], "Which region sold the most units?", "df.groupby('region')['units'].sum().idxmax()"),
    ("sales", ["df['revenue'] = df['units'] * df['price']"], "Print the total revenue.", "print(df['revenue'].sum())"),
    ("sales", ["df['revenue'] = df['units'] * df['price']"], "The three products with the highest revenue.", "df.groupby('product')['revenue'].sum().nlargest(3)"),
    ("sales", ["df['date'] = pd.to_datetime(df['date'])"], "Units by month.", "df.groupby(df['date'].dt.month)['units'].sum()"),
    ("sales", ["df['date'] = pd.to_datetime(df['date'])"], "What are the first and the last day?", "df['date'].dt.strftime('%Y-%m-%d').min(), df['date'].dt.strftime('%Y-%m-%d').max()"),
    ("sales", [], "A pivot table of units: regions as rows, products as columns.", "df.pivot_table(index='region', columns='product', values='units', aggfunc='sum')"),
    ("sales", [], "The share of each product among the rows.", "df['product'].value_counts(normalize=True).sort_index()"),
    ("sales", [], "How many rows have a price above 5?", "len(df[df['price'] > 5])"),
    ("sales", [], "The correlation of units and price.", "df['units'].corr(df['price'])"),
    ("sales", [], "Which products are there, in alphabetical order?", "sorted(df['product'].unique())"),
    ("people", [], "Count the missing values of every column.", "df.isnull().sum()"),
    ("people", [], "What is the median age?", "df['age'].median()"),
    ("people", ["df['income'] = df['income'].fillna(df['income'].median())"], "The mean income by city.", "df.groupby('city')['income'].mean()"),
    ("people", ["df = df.dropna()"], "How many people are left?", "len(df)"),
    ("people", [], "How many people live in each city?", "df['city'].value_counts().sort_index()"),
    ("people", [], "Describe the age.", "df['age'].describe()"),
    ("people", ["bins = [17, 30, 50, 80]"], "Cut the ages into the bins and count.", "pd.cut(df['age'], bins).value_counts().sort_index()"),
    ("people", ["df = df.dropna()"], "The correlation of age and income.", "df['age'].corr(df['income'])"),
    ("people", [], "The share of married people in percent.", "print('married:', (df['married'] == 'yes').mean() * 100)"),
    ("people", ["df = df.dropna()"], "The oldest person's id and income.", "oldest = df.loc[df['age'].idxmax()]\noldest['id'], oldest['income']"),
    ("people", [], "The youngest and the oldest age as a tuple.", "df['age'].min(), df['age'].max()"),
    ("people", ["df = df.dropna()"], "Married against unmarried: mean income of both.", "df.groupby('married')['income'].mean().round(1)"),
    ("people", [], "How many people are between 30 and 40 years old?", "df['age'].between(30, 40).sum()"),
    ("sensors", [], "The mean temperature of every sensor.", "df.groupby('sensor')['temperature'].mean()"),
    ("sensors", [], "At which hour was it warmest?", "df.loc[df['temperature'].idxmax(), 'hour']"),
    ("sensors", [], "The standard deviation of the humidity.", "df['humidity'].std()"),
    ("sensors", ["one = df[df['sensor'] == 's1']"], "The rolling mean of the temperature over three hours, last five values.", "one['temperature'].rolling(3).mean().tail(5)"),
    ("sensors", ["one = df[df['sensor'] == 's2']"], "The largest change of temperature from one hour to the next.", "one['temperature'].diff().abs().max()"),
    ("sensors", ["t = df['temperature'].to_numpy()"], "The 10th and the 90th percentile of the temperature.", "np.percentile(t, [10, 90])"),
    ("sensors", ["t = df['temperature'].to_numpy()"], "How many values are more than two standard deviations away from the mean?", "int((np.abs(t - t.mean()) > 2 * t.std()).sum())"),
    ("sensors", ["from scipy import stats"], "Pearson's correlation of temperature and humidity.", "stats.pearsonr(df['temperature'], df['humidity'])[0]"),
    ("sensors", ["from scipy import stats"], "Fit a line of the humidity over the temperature: slope and intercept.", "line = stats.linregress(df['temperature'], df['humidity'])\nline.slope, line.intercept"),
    ("sensors", ["from scipy import stats", "a = df[df['sensor'] == 's1']['temperature']\nb = df[df['sensor'] == 's3']['temperature']"], "Do the two sensors differ? The p value of a t test.", "stats.ttest_ind(a, b).pvalue"),
    ("sensors", [], "A matrix of the correlations of the numeric columns.", "df[['hour', 'temperature', 'humidity']].corr()"),
    ("sensors", ["wide = df.pivot(index='hour', columns='sensor', values='temperature')"], "The hour by hour range between the sensors: its mean.", "(wide.max(axis=1) - wide.min(axis=1)).mean()"),
    ("sensors", ["m = df[['temperature', 'humidity']].to_numpy()"], "The covariance matrix.", "np.cov(m, rowvar=False)"),
    ("sensors", ["t = df['temperature'].to_numpy()"], "Scale the temperature to 0..1 and show the first four values.", "((t - t.min()) / (t.max() - t.min()))[:4]"),
    ("students", [], "The mean of maths and reading in every group.", "df.groupby('group')[['maths', 'reading']].mean()"),
    ("students", [], "How many students passed?", "df['passed'].sum()"),
    ("students", [], "The best student in maths.", "df.sort_values(['maths', 'student'], ascending=[False, True]).iloc[0]['student']"),
    ("students", [], "The share that passed by group.", "df.groupby('group')['passed'].mean()"),
    ("students", ["df['total'] = df['maths'] + df['reading']"], "The five best students by total.", "df.nlargest(5, 'total')[['student', 'total']]"),
    ("students", ["from sklearn.linear_model import LinearRegression", "X = df[['hours']]\ny = df['maths']"], "Fit a linear model and show its coefficient.", "model = LinearRegression().fit(X, y)\nmodel.coef_"),
    ("students", ["from sklearn.linear_model import LinearRegression", "X = df[['hours']]\ny = df['maths']\nmodel = LinearRegression().fit(X, y)"], "How good is the fit? R squared.", "model.score(X, y)"),
    ("students", ["from sklearn.linear_model import LinearRegression\nfrom sklearn.metrics import mean_squared_error", "X = df[['hours', 'reading']]\ny = df['maths']\nmodel = LinearRegression().fit(X, y)"], "Print the root mean squared error on the data.", "print('RMSE:', np.sqrt(mean_squared_error(y, model.predict(X))))"),
    ("students", ["from sklearn.model_selection import train_test_split", "X = df[['hours', 'reading']]\ny = df['passed']"], "Split with a fifth for testing, random_state 0; the shapes of both parts.", "X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)\nX_train.shape, X_test.shape"),
    ("students", ["from sklearn.linear_model import LogisticRegression", "X = df[['hours', 'reading']]\ny = df['passed']"], "The accuracy of a logistic regression on the data it was fitted on.", "clf = LogisticRegression(max_iter=1000).fit(X, y)\nclf.score(X, y)"),
    ("students", ["from sklearn.tree import DecisionTreeClassifier", "X = df[['hours', 'reading']]\ny = df['passed']"], "Fit a tree of depth 2 and show the importances of the features.", "tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)\ntree.feature_importances_"),
    ("students", ["from sklearn.preprocessing import StandardScaler", "X = df[['hours', 'maths', 'reading']]"], "Standardize the columns; the standard deviations of the result.", "StandardScaler().fit_transform(X).std(axis=0)"),
    ("students", ["from sklearn.metrics import confusion_matrix", "guess = (df['hours'] > 4.5).astype(int)"], "The confusion matrix of the guess.", "confusion_matrix(df['passed'], guess)"),
    ("students", ["from sklearn.cluster import KMeans", "X = df[['maths', 'reading']]"], "How large are three clusters, smallest first?", "labels = KMeans(n_clusters=3, n_init=10, random_state=0).fit_predict(X)\nsorted(np.bincount(labels))"),
    ("students", ["from sklearn.decomposition import PCA", "X = df[['hours', 'maths', 'reading']]"], "The share of the variance that the first component explains.", "PCA(n_components=1).fit(X).explained_variance_ratio_[0]"),
    ("students", ["from scipy import stats", "a = df[df['group'] == 'A']['maths']\nb = df[df['group'] == 'B']['maths']"], "The statistic of a Mann-Whitney test of both groups.", "stats.mannwhitneyu(a, b).statistic"),
    ("students", ["from sklearn.model_selection import cross_val_score\nfrom sklearn.linear_model import LinearRegression", "X = df[['hours']]\ny = df['maths']"], "The mean R squared of five folds.", "cross_val_score(LinearRegression(), X, y, cv=5).mean()"),
    ("flights", [], "The mean delay of every carrier.", "df.groupby('carrier')['delay'].mean()"),
    ("flights", [], "The share of flights that were late by more than 15 minutes.", "(df['delay'] > 15).mean()"),
    ("flights", [], "Number of flights by origin and carrier.", "pd.crosstab(df['origin'], df['carrier'])"),
    ("flights", [], "The longest flight of every carrier.", "df.groupby('carrier')['distance'].max()"),
    ("flights", ["late = df[df['delay'] > 0]"], "The origin with the most late flights.", "late['origin'].value_counts().idxmax()"),
    ("flights", ["df['late'] = df['delay'] > 15"], "How many flights were late in each month?", "df.groupby('month')['late'].sum()"),
    ("flights", [], "Delay and distance: minimum and maximum of both.", "df[['delay', 'distance']].agg(['min', 'max'])"),
    ("flights", ["short = df[df['distance'] < 1000]"], "Number and mean delay of the short flights as a tuple.", "len(short), short['delay'].mean()"),
    ("flights", ["from scipy import stats"], "Spearman's correlation of distance and delay.", "stats.spearmanr(df['distance'], df['delay'])[0]"),
    ("flights", ["x = df['delay'].to_numpy()"], "The mean of the delays without the five largest and five smallest.", "np.sort(x)[5:-5].mean()"),
]


def to_problem(number, problem):
    data, steps, intent, reference = problem
    columns = DATA[data][0]
    cells = [PANDAS, LOAD.format(data), *steps]
    return {
        "id": f"{data}-{number:02d}",
        # As in the paper, three cells above are shown. The cells before them only run.
        "setup": cells[:-3],
        "context": cells[-3:],
        "columns": f"df.columns={columns!r}",
        "intent": intent,
        "reference": reference,
        "files": [f"{data}.csv"],
    }


def main():
    os.makedirs(os.path.join(OUT, "data"), exist_ok=True)
    texts = {}
    for name, (columns, lines) in DATA.items():
        texts[f"{name}.csv"] = "".join(",".join(map(str, line)) + "\n" for line in [columns, *lines])
        with open(os.path.join(OUT, "data", f"{name}.csv"), "w") as file:
            file.write(texts[f"{name}.csv"])
    problems = [to_problem(number, problem) for number, problem in enumerate(PROBLEMS, 1)]
    driver = subprocess.Popen(
        [sys.executable, os.path.join(ROOT, "scripts", "kernel-driver.py"), "2", str(2**31)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    jobs = [
        {"id": number, "seconds": 60, "cells": [*each["setup"], *each["context"], each["reference"]],
         "files": {name: texts[name] for name in each["files"]}}
        for number, each in enumerate(problems)
    ]
    answers, _ = driver.communicate("".join(json.dumps(job) + "\n" for job in jobs))
    for answer in map(json.loads, answers.splitlines()):
        if "ready" in answer:
            continue
        problem = problems[answer["id"]]
        last = answer["cells"][-1]
        if last["status"] != "ok" or not last["output"]:
            raise SystemExit(f"{problem['id']} does not run: {last}")
        problem["output"] = last["output"]
    with open(os.path.join(OUT, "problems.jsonl"), "w") as file:
        for problem in problems:
            file.write(json.dumps(problem) + "\n")
    print(f"{len(problems)} problems in {OUT}")
    write_notebooks()


def write_notebooks():
    """Runnable notebooks for `celrec record`: one per table, with all problems of that table."""
    folder = os.path.join(OUT, "data")
    for name in DATA:
        own = [problem for problem in PROBLEMS if problem[0] == name]
        half = len(own) // 2
        for part, chosen in enumerate((own[:half], own[half:]), 1):
            cells = [("code", PANDAS), ("code", LOAD.format(name))]
            done = set()
            for _, steps, intent, reference in chosen:
                cells.append(("markdown", intent))
                for step in steps:
                    if step not in done:
                        cells.append(("code", step))
                    done.add(step)
                cells.append(("code", reference))
            path = os.path.join(folder, f"{name}-{part}.ipynb")
            with open(path, "w") as file:
                json.dump({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [to_cell(*cell) for cell in cells]}, file, indent=1)
                file.write("\n")


def to_cell(kind, source):
    extra = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **extra}


main()
