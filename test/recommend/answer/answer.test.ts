import { beforeAll, describe, expect, it } from "vitest";
import { loadGrammar } from "../../../src/python/grammar.js";
import { type AdaptContext, createHitAdapter, type HitAdaptation } from "../../../src/recommend/answer/answer.js";

const help = (typed: string, cell: string, context: AdaptContext = {}) => createHitAdapter(typed, context)(cell);

beforeAll(loadGrammar);

describe("matched and insert", () => {
  it.each([
    {
      title: "typed lines match under other names, and the rest is inserted",
      typed: "train = pd.read_csv('a.csv')",
      cell: "df = pd.read_csv('a.csv')\n\ndf.head()\ndf.info()",
      matched: [{ start: 0, end: 1 }],
      insert: "df.head()\ndf.info()",
    },
    {
      title: "typed lines match in order, with other lines between them",
      typed: "import os\nimport pandas as pd",
      cell: "import os\nimport sys\nimport pandas as pd\nprint(os.listdir('.'))",
      matched: [
        { start: 0, end: 1 },
        { start: 2, end: 3 },
      ],
      insert: "print(os.listdir('.'))",
    },
    {
      title: "the insertion starts after the match of the last typed line",
      typed: "plt.figure()\nplt.plot(x)",
      cell: "plt.plot(a)\nplt.figure()\nplt.plot(b)\nplt.show()",
      matched: [{ start: 1, end: 3 }],
      insert: "plt.show()",
    },
    {
      title: "the whole cell is inserted if no line matches",
      typed: "model.fit(X, y)",
      cell: "import os\nprint(1)",
      matched: [],
      insert: "import os\nprint(1)",
    },
    {
      title: "nothing is inserted if all lines are typed",
      typed: "df.isnull()",
      cell: "train.isnull()  # missing?",
      matched: [{ start: 0, end: 1 }],
      insert: "",
    },
    {
      title: "a cell in another language is matched line by line",
      typed: "%%sql\nSELECT *",
      cell: "%%sql\nSELECT *\nFROM t",
      matched: [{ start: 0, end: 2 }],
      insert: "FROM t",
    },
    {
      title: "nothing typed, nothing stored",
      typed: "",
      cell: "",
      matched: [],
      insert: "",
    },
  ])("$title", ({ typed, cell, matched, insert }) => {
    expect(help(typed, cell)).toMatchObject({ matched, insert, continuesLine: false });
  });

  it.each(["df.gro", "for i", "y = data.Cl", "from spacy import displ"])(
    "an unfinished line that the cell does not continue gets no insertion: %s",
    (typed) => {
      expect(help(typed, "model.fit(X, y)").adapted.insert).toBe("");
    },
  );

  it("a module's function is continued only by a function of the same module, under any alias", () => {
    const cell = "wine.hist(bins=30, figsize=(9, 6))";
    expect(help("plt.hist(", cell).insert).toBe("");
    expect(help("charts.hist(", cell).insert).toBe("bins=30, figsize=(9, 6))");
    expect(help("charts.hist(", cell, { before: ["import ours.charts as charts"] }).insert).toBe("");
    expect(help("df.bar(", "from ours import px\npx.bar(height=3)").insert).toBe("");
  });

  it("a tuple gets no keyword arguments", () => {
    const cell = "a, b = split(data.x, data.y, random_state=42)";
    expect(help("a, b = (data.x, data.y, ", cell).insert).toBe("");
    expect(help("a, b = cut(data.x, data.y, ", "a, b = cut(data.x, data.y, seed=4)").insert).toBe("seed=4)");
  });

  it("names of a half-typed line replace those of the cell, except a name that is itself half-typed", () => {
    const renamed = (typed: string, cell: string) => help(typed, cell).adapted.renamed;
    expect(renamed("sales = pd.read_", "df = pd.read_csv('a.csv')\ndf.head()")).toEqual({ df: "sales" });
    expect(renamed("clf.fit(tra", "model.fit(train, y)")).toEqual({ model: "clf" });
  });

  it("a line that the cell starts with is continued, also in the middle of a name", () => {
    const cell = "y = data.target.map(names)\ny.head()";
    expect(help("y = data.target", cell)).toMatchObject({ insert: ".map(names)\ny.head()", continuesLine: true });
    expect(help("y = f('a')", "y = f('b').g()")).toMatchObject({ continuesLine: false });
    expect(help("y = data.targ", cell)).toMatchObject({ insert: "et.map(names)\ny.head()", continuesLine: true });
  });

  it.each([
    ["df['Age'].fillna(", "df['Age'].fillna(df['Age'].mean())\ndf.info()", "df['Age'].mean())\ndf.info()"],
    ["data.isnull().su", "df.isnull().sum()", "m()"],
    ["x = df.", "x = df.drop('a', axis=1)", "drop('a', axis=1)"],
    ["i", "if ready:\n    run()", "f ready:\n    run()"],
    ["if a[0", "if a[0] == n: run()\nb()", "] == n: run()\nb()"],
    ["if a[0", "if a[0] == n:\n    run()\nb()", "] == n:\n    run()\nb()"],
    ["if a[0", "x = a[0].sum() > 1", "].sum() > 1:"],
    ["model = LinearReg", "m = LinearRegression()\nm.fit(X, y)", "ression()\nm.fit(X, y)"],
    ["a, b = train_", "tr, te = train_test_split(X)", "test_split(X)"],
    ["sales = pd.read_", "df = pd.read_csv('a.csv')\ndf.head()", "csv('a.csv')\ndf.head()"],
    ["plt.plot(x,\n         y", "plt.plot(x,\n         y, 'r')\nplt.show()", ", 'r')\nplt.show()"],
  ])("the rest of a half-typed line is inserted: %j", (typed, cell, insert) => {
    expect(help(typed, cell)).toMatchObject({ insert, continuesLine: true });
  });

  it.each([
    ["!pip install ", "!pip install pandas\n!pip install numpy", "pandas\n!pip install numpy"],
    ["%load_", "%load_ext tensorboard", "ext tensorboard"],
    ["%%bash\nls ", "%%bash\nls /data\npwd", "/data\npwd"],
  ])("the rest of a half-typed command is inserted: %j", (typed, cell, insert) => {
    expect(help(typed, cell)).toMatchObject({ insert, continuesLine: true });
  });

  it.each([
    "df.loc[df['age'] > ",
    "Tokenizer(num_words=",
    "df.head().",
    "x = [c for c in cols if ",
    "x = [c for c",
    "f(lambda q",
    "df[",
    "print(f'{",
    "p = {'a': 1, 'b",
    "from sklearn",
    "a, b, ",
    "try:\n    pass\nexcept ",
    "df.sort_index(asce",
    "for i, row in df.iter",
    "x = 1 + \\\n",
    "df[df.a > 1",
    "f(x[1:",
    "p = {'a': 1, ",
    "p = {'a",
    "print(f'{{",
    "total(asce, asce",
    "f(lambda q: q",
    "else",
    "df.fillna(",
    "df = read(\n",
    "if deep:\n    model = Sequential([\n        Dense(1)",
    "if len(df) > 0",
    "df.gro",
    "df = pd.read_csv",
    "impo",
    "x = len",
    "class Model",
    "a if b else",
    "f = lambda q",
  ])("an unfinished line gets nothing from a cell that does not continue it: %j", (typed) => {
    const found = help(typed, "model.fit(X, y)");
    expect(found).toMatchObject({
      insert: "",
      continuesLine: false,
      added: expect.stringContaining("model.fit(X, y)"),
    });
    expect(found.adapted.insert).toBe("");
  });

  it.each([
    {
      title: "a colon is added to the head of a block",
      typed: "for name in glob.glob(",
      cell: "files = glob.glob('*.csv')\nprint(files)",
      insert: "'*.csv'):\n    print(files)",
    },
    {
      title: "no colon is added to a line that starts no block",
      typed: "names = glob.glob(",
      cell: "for name in glob.glob('*.csv'):\n    print(name)",
      insert: "'*.csv')\nprint(name)",
    },
    {
      title: "no second colon is added",
      typed: "if a: b = load(",
      cell: "x = load('q')\nprint(x)",
      insert: "'q')\nprint(x)",
    },
    {
      title: "a name in both the typed line and the cell matches only itself",
      typed: "fig, ax = plt.subplots()\nax.set_",
      cell: "fig, ax = plt.subplots()\nfig.set_size_inches(8, 4)\nax.set_title('a')",
      insert: "title('a')",
    },
    {
      title: "an argument with a variable of a lambda is not inserted",
      typed: "df['Age'].fillna(",
      cell: "df.a.transform(lambda x: x.fillna(x.median()))\ndf.b.fillna(0)",
      insert: "0)",
    },
    {
      title: "a loop variable is inserted if the user has it, too",
      typed: "y = [c for c in df if ",
      cell: "z = [c for c in df if c.a]",
      insert: "c.a]",
    },
  ])("a line is continued: $title", ({ typed, cell, insert }) => {
    expect(help(typed, cell)).toMatchObject({ insert, continuesLine: true });
  });

  it("a single name is not continued", () => {
    expect(help("limit ", "sns.pairplot(df)").continuesLine).toBe(false);
  });

  it("data that the user has loaded or split is not loaded or split again", () => {
    const before = ["mine = pd.read_csv('a.csv')", "a, b = train_test_split(mine)"];
    const cell = "path = 'b.csv'\ndf = pd.read_csv(path)\ntr, te = train_test_split(df)\ndf.head()";
    expect(help("mine.info()", cell, { before }).adapted.insert).toBe("mine.head()");
    expect(help("mine.info()", "for p in paths:\n    mine = pd.read_csv(p)", { before }).insert).toBe(
      "for p in paths:\n    mine = pd.read_csv(p)",
    );
    expect(help("mine.info()", "mine = mine.read_csv(1)", { before }).insert).toBe("mine = mine.read_csv(1)");
  });

  it("a file that the user has read is not read again, whatever its folder", () => {
    const before = ["mine = pd.read_csv('train.csv')\nother = pd.read_csv('test.csv')"];
    const cell = "# load\ntrain=pd.read_csv('../input/a/train.csv')\ntrain.info()";
    expect(help("", cell, { before }).adapted).toMatchObject({ insert: "mine.info()", renamed: { train: "mine" } });
    expect(help("", "train = pd.read_csv(DATA / 'train.csv')\ntrain.info()", { before }).adapted.insert).toBe(
      "mine.info()",
    );
    const another = "train = pd.read_csv('../input/b.csv')\ntrain.info()";
    expect(help("", another, { before }).adapted).toMatchObject({ insert: another, renamed: {} });
  });

  it("marks whether the adapted insertion continues the line", () => {
    const before = ["train_df = load('a')\ntrain_df.head()\ntrain_df.tail()"];
    const cell = "x = 1\nfe = fe.head()\nfe.tail()";
    const found = help("q()\ntrain", cell, { before });
    expect(found).toMatchObject({ continuesLine: true, insert: "" });
    expect(found.adapted).toEqual({
      code: "x = 1\ntrain_df = train_df.head()\ntrain_df.tail()",
      insert: "_df = train_df.head()\ntrain_df.tail()",
      renamed: { fe: "train_df" },
    });
  });

  it("an argument is not given twice", () => {
    expect(help("plot(a, c='r', ", "plot(a, b, c='k')\nshow()").insert).toBe("");
  });

  it("a string that the cell does not continue stays unchanged", () => {
    expect(help("plt.title('Share of ", "plt.title('Age')\nplt.show()").insert).toBe("");
  });

  it("a call is closed without arguments if the cell does so", () => {
    expect(help("df.head(", "df.head()\ndf.info()").insert).toBe(")\ndf.info()");
  });

  it("a name that the cell also has is complete", () => {
    expect(help("df.ndim", "df.ndim\ndf.info()").insert).toBe("df.info()");
    expect(help("df.shape", "df.info()").insert).toBe("df.info()");
    expect(help("x = total", "df.info()", { before: ["total = 1"] }).insert).toBe("df.info()");
  });

  it("the receiver counts: a module's function is no method", () => {
    expect(help("plt.hist(", "wine.hist(bins=30, figsize=(15, 10))").insert).toBe("");
    expect(help("plt.hist(", "df['a'].hist(bins=30)").insert).toBe("");
    expect(help("wine.hist(", "plt.hist(x, bins=30)").insert).toBe("");
    expect(help("plt.hist(", "fig = plt.hist(x, bins=30)").insert).toBe("x, bins=30)");
    expect(help("df.hist(", "wine.hist(bins=30)").insert).toBe("bins=30)");
  });

  it("the receiver counts: a function is no method", () => {
    expect(help("h = net.fit(", "log = fit(model, epochs=5)").insert).toBe("");
    expect(help("h = fit(", "log = model.fit(X, epochs=5)").insert).toBe("");
    expect(help("fit(", "model.fit(X)").insert).toBe("");
    expect(help("net.fit(a, ", "log = fit(model, epochs=5)").insert).toBe("");
    expect(help("h = net.fit(", "model.fit(X, epochs=5)").insert).toBe("X, epochs=5)");
  });

  it("a method is called as it is elsewhere, whatever its receiver", () => {
    expect(help("df['Sex'].value_counts", "df['label'].value_counts().plot()").insert).toBe("().plot()");
    expect(help("n = df.a.nunique", "print(data.b.nunique())").insert).toBe("()");
    expect(help("df.values", "total(df.values, 2)").continuesLine).toBe(false);
    expect(help("clf = Random", "tree = DecisionTree(depth=3)").insert).toBe("");
  });

  it("an imported name is completed", () => {
    const cell = "from sklearn.linear_model import LogisticRegression\nmodel = LogisticRegression()";
    const insert = "isticRegression\nmodel = LogisticRegression()";
    expect(help("from sklearn.linear_model import Log", cell)).toMatchObject({ insert, continuesLine: true });
    expect(help("from sklearn.linear_model import Lasso", cell).adapted.code).toBe(cell);
  });

  it("rows of blanks are empty rows", () => {
    expect(help("f(1)", "f(1)\ng(2)\n    \nh(3)").insert).toBe("g(2)\n\nh(3)");
  });

  it("a bracket left open by a broken line stays open", () => {
    expect(help("x = (1\nimport os\n", "model.fit(X, y)")).toMatchObject({
      insert: "model.fit(X, y)",
      continuesLine: false,
    });
  });

  it.each([
    ["an open string is continued", "df = pd.read_csv('", "df = pd.read_csv('a.csv')\ndf.head()", "a.csv')\ndf.head()"],
    [
      "an open string ends with the user's quotes",
      'df = pd.read_csv("../in',
      "df = pd.read_csv('../input/a.csv')",
      'put/a.csv")',
    ],
    [
      "an open string of several rows is continued",
      'q = """\nSELECT a\nFROM ',
      'q = """\nSELECT a\nFROM t\n"""\nrun(q)',
      't\n"""\nrun(q)',
    ],
    [
      "arguments are taken from the same call elsewhere",
      "print(score(",
      "a = score(y, p)\nprint(a)",
      "y, p))\nprint(a)",
    ],
    [
      "arguments are added after different ones",
      "X = df.drop('a', ",
      "X = df.drop(['b'],axis=1)\ny = 1",
      "axis=1)\ny = 1",
    ],
    [
      "a keyword argument is added",
      "countplot(x='Sex', ",
      "f = 1\ncountplot(x='Age', data=df)\nshow()",
      "data=df)\nshow()",
    ],
    ["an expression is continued with an attribute", "df.isnull()", "df.isnull().sum()", ".sum()"],
    [
      "a missing colon is added to a block's head",
      "for c in df.columns",
      "for x in df.columns:\n    print(x)",
      ":\n    print(x)",
    ],
    ["typed white space is not repeated", "import pandas as ", "import pandas as pd", "pd"],
  ])("a half-typed word is completed: %s", (_title, typed, cell, insert) => {
    expect(help(typed, cell)).toMatchObject({ insert, continuesLine: true });
  });

  it.each([
    ["after a call of several rows", "a = f(x,\n      y=1)", "print(a)\nprint(b)", "print(a)\nprint(b)"],
    ["in the block that a line opens", "import os\n\ndef f(x):", "import os\ndef f(x): # it\n  show(x)", "    show(x)"],
    ["but not in a block that the cell does not have", "import os\n\ndef f(x):", "import os\nshow(x)", ""],
    [
      "no deeper than the typed line",
      "def f(d):\n    c = [x for x in d.cols]",
      "for x in d.cols:\n        if x:\n            go(x)",
      "    if x:\n        go(x)",
    ],
    [
      "indented with tabs if the user has tabs",
      "for i in r(9):\n\tp(i)",
      "for i in r(9):\n  p(i)\n  if i:\n    j = i\np(j)",
      "\tif i:\n\t\tj = i\np(j)",
    ],
    [
      "up to the end of the outer block",
      "for i in r:",
      "for j in y:\n    for i in r:\n        a(j)\n    b(j)\nfor k in y:\n    c(k)",
      "    a(j)\nb(j)",
    ],
    ["without a return outside a function", "m.add(1)", "def f():\n    m.add(1)\n    m.go()\n    return m", "m.go()"],
    ["without an else that has no if", "a = 1", "if b:\n    a = 1\nelse:\n    a = 2\nc = a", "c = a"],
    ["without a head that has no block", "a = 1", "a = 1\nb = 2\nfor i in b:\n    return i", "b = 2"],
  ])("statements are inserted where they are allowed: %s", (_title, typed, cell, insert) => {
    expect(help(typed, cell)).toMatchObject({ insert, continuesLine: false });
  });

  it("a truncated cell is inserted as far as it goes", () => {
    expect(help("g(a=1, ", "g(b=2, c=3,").insert).toBe("c=3,");
    expect(help("g(a=1, ", "g(b=2,").insert).toBe("");
  });

  it("the last line counts as typed if the cell makes the same call with other arguments", () => {
    const cell = "import xgboost as xgb\nclf = xgb.XGBClassifier(max_depth=4, n_jobs=2,\n  alpha=1)\nclf.fit(X, y)";
    expect(help("model = xgb.XGBClassifier()", cell)).toMatchObject({
      matched: [{ start: 1, end: 2 }],
      adapted: { insert: "model.fit(X, y)" },
    });
    // Only the printed values differ.
    const printing = "print(c.shape, d.dtype, end='')\ne = 1";
    expect(help("print('a', b)", printing).insert).toBe(printing);
  });

  it("an existing import is not repeated", () => {
    const before = ["import os\nimport numpy as np  # arrays\nfrom a import (\n  b)"];
    const cell = "import os\nfrom a import (\n  c)\nos.listdir()";
    expect(help("x = 1", cell, { before }).insert).toBe("from a import (\n  c)\nos.listdir()");
    expect(help("x = 1", "import os\n", { before }).insert).toBe("");
  });

  it("a line that was ended is not continued", () => {
    expect(help("df.head\n", "df.head()")).toMatchObject({ insert: "df.head()", continuesLine: false });
  });

  it("continues inside an open bracket, and after a closed one", () => {
    const cell = "model = Sequential([\n    Dense(8),\n    Dense(1),\n])\nmodel.summary()";
    expect(help("net = Sequential([\n    Dense(8),", cell).insert).toBe("    Dense(1),\n])\nmodel.summary()");
    expect(help("net = Sequential([Dense(1)])", cell).insert).toBe("model.summary()");
  });

  it.each([
    ["for c in cs:", "for f in fs:\n    print(f)\ndone()", "    print(f)\ndone()"],
    ["if a:\n    for c in cs:", "for f in fs:\n    print(f)\ndone()", "        print(f)\n    done()"],
    ["if a:\n    f(x)", 'f(y)\ns = """one\n two\n"""\nt = 1', '    s = """one\n two\n"""\n    t = 1'],
    ["def g(x):", "def g(z):\n  y = np.mean(z)\n  print(y)", "    y = np.mean(z)\n    print(y)"],
  ])("is inserted after the cursor: %j", (typed, cell, insert) => {
    expect(help(typed, cell).insert).toBe(insert);
  });
});

describe("excerpt", () => {
  it("is the whole of a short cell", () => {
    expect(help("x", "a = 1\nb = 2").excerpt).toEqual([
      { line: 0, text: "a = 1" },
      { line: 1, text: "b = 2" },
    ]);
  });

  it("starts two lines before the new part of a long cell, and ends with a statement", () => {
    const lines = Array.from({ length: 40 }, (_, at) => `step_${at}(${at})`);
    lines.splice(30, 0, "call(", "  1,", ")");
    const { excerpt } = help("step_20(20)", lines.join("\n"));
    expect(excerpt[0]).toEqual({ line: 19, text: "step_19(19)" });
    // Twelve lines would end inside the call.
    expect(excerpt.at(-1)).toEqual({ line: 29, text: "step_29(29)" });
  });
});

describe("adapted", () => {
  it.each([
    {
      title: "takes the names of lines that are already typed",
      typed: "train_df = pd.read_csv('train.csv')",
      cell: "df = pd.read_csv('train.csv')\ndf.head()",
      code: "train_df = pd.read_csv('train.csv')\ntrain_df.head()",
      renamed: { df: "train_df" },
    },
    {
      title: "takes names with the same roles from the cells before",
      typed: "plt.figure()",
      context: { before: ["clf = RandomForestClassifier()\nclf.fit(features, target)"] },
      cell: "plt.figure()\nmodel.fit(X, y)\nplt.barh(X.columns, model.feature_importances_)",
      code: "plt.figure()\nclf.fit(features, target)\nplt.barh(features.columns, clf.feature_importances_)",
      renamed: { model: "clf", X: "features", y: "target" },
    },
    {
      title: "renames nothing without evidence",
      typed: "plt.figure()",
      context: { before: ["a = 1"] },
      cell: "plt.figure()\nmodel.fit(X, y)",
      code: "plt.figure()\nmodel.fit(X, y)",
      renamed: {},
    },
    {
      title: "takes names from a live kernel",
      typed: "# missing values",
      context: { variables: { sales: "pandas.core.frame.DataFrame", n: "int" } },
      cell: "df.isnull().sum()\ndf.dropna()\ndf.describe()",
      code: "sales.isnull().sum()\nsales.dropna()\nsales.describe()",
      renamed: { df: "sales" },
    },
    {
      title: "takes no name that the cell already has",
      typed: "data = pd.read_csv('a.csv')",
      cell: "df = pd.read_csv('a.csv')\ndata = df.copy()",
      code: "df = pd.read_csv('a.csv')\ndata = df.copy()",
      renamed: {},
    },
    {
      title: "renames no imports, attributes, keyword arguments and strings",
      typed: "out = f(train)",
      cell: "from a import df\nout = f(df)\nx.df(df=df)",
      code: "from a import df\nout = f(df)\nx.df(df=df)",
      renamed: {},
    },
    {
      title: "renames no name in an f-string, a magic or a query, because these stay unchanged",
      typed: "train = pd.read_csv('a.csv')",
      cell: "df = pd.read_csv('a.csv')\nprint(f'{df.shape}')",
      code: "df = pd.read_csv('a.csv')\nprint(f'{df.shape}')",
      renamed: {},
    },
    {
      title: "renames no parameters and no functions of others",
      typed: "train = clean(raw)",
      cell: "def f(df):\n    return df\ndata = tidy(df)",
      code: "def f(df):\n    return df\ndata = tidy(df)",
      renamed: {},
    },
  ] satisfies { title: string; typed: string; cell: string; code: string; renamed: object; context?: AdaptContext }[])(
    "$title",
    ({ typed, cell, code, renamed, context }) => {
      const { adapted } = help(typed, cell, context);
      expect([adapted.code, adapted.renamed]).toEqual([code, renamed]);
    },
  );

  it("is inserted in the user's names", () => {
    const { adapted } = help("train_df = pd.read_csv('a.csv')", "df = pd.read_csv('a.csv')\ndf.head()");
    expect(adapted.insert).toBe("train_df.head()");
  });

  it("ignores hostile names from a kernel", () => {
    const variables = {
      "x; import os": "DataFrame",
      class: "DataFrame",
      __proto__: "DataFrame",
      print: "DataFrame",
      pd: "DataFrame",
      "": "DataFrame",
    };
    const cell = "df.isnull().sum()\ndf.dropna()\ndf.describe()";
    expect(help("# x", cell, { variables }).adapted).toEqual({ code: cell, insert: cell, renamed: {} });
  });
});

describe("any input", () => {
  it.each([
    ["2,000 lines", "df = df.dropna()", Array.from({ length: 2000 }, (_, at) => `df_${at} = df.dropna()`).join("\n")],
    ["data of 100,000 characters", "x", `x = "${"a".repeat(100_000)}"`],
    ["brackets", "((((", "((((\n".repeat(500)],
    ["broken on both sides", "def f(:\n  '", "class :\n  '''"],
    ["another script", "数据 = 表.头()", "данные = 表.头()\nпечать(данные)"],
    ["star imports and shadowed builtins", "from a import *\nlist = 1", "from b import *\nlist = list(sum)"],
    ["magics alone", "%matplotlib inline", "!pip install x\n%load_ext y"],
  ])("gives an answer: %s", (_, typed, cell) => {
    const { adapted, insert, excerpt } = help(typed, cell, { before: Array.from({ length: 500 }, () => typed) });
    expect([typeof adapted.code, typeof insert, excerpt.length > 0]).toEqual(["string", "string", true]);
  });
});

describe("the text after the cursor", () => {
  it.each([
    [
      "is not inserted again",
      "search = GridSearchCV(model, ",
      ", cv=5)",
      "search = GridSearchCV(model, grid, cv=5)\nsearch.fit(X, y)",
      "grid",
    ],
    [
      "is not inserted again with another value",
      "search = GridSearchCV(model, ",
      ", cv=5)",
      "search = GridSearchCV(model, grid, scoring='f1', cv=3)",
      "grid, scoring='f1'",
    ],
    ["a bracket is closed once", "df.groupby(", ")", "df.groupby('a')", "'a'"],
    [
      "a bracket is closed once, also if that is in a row below",
      "m.fit(\n    X, ",
      "\n)\n",
      "m.fit(\n    X, y)\nm.score()",
      "y",
    ],
    [
      "a bracket that the suffix leaves open is closed",
      "print(df.groupby(",
      ")",
      "print(df.groupby('a').sum())",
      "'a').sum()",
    ],
    ["a string is closed once", "pd.read_csv('", "')", "pd.read_csv('a.csv')\nf()", "a.csv"],
    ["the end of a string is not repeated", "pd.read_csv('", ".csv')", "pd.read_csv('a.csv')", "a"],
    ["the end of a name is not repeated", "df.gro", "upby('a')", "df.groupby('a').sum()", ""],
    ["values are not joined to one name", "f(", "y)", "f(x, y2)", ""],
    [
      "statements below are not repeated",
      "df.head()\n",
      "\ndf.info( )\n",
      "df.head()\ndf.tail()\ndf.info()\ndf.shape",
      "df.tail()\ndf.shape",
    ],
    [
      "blocks below are not repeated",
      "df.head()\n",
      "\nfor c in df:\n    f(c)",
      "df.head()\nfor c in df:\n    g(c)\ndf.tail()",
      "df.tail()",
    ],
    [
      "a new line is inserted before the existing line",
      "df.head()\n",
      "df.info()",
      "df.head()\ndf.tail()\ndf.info()",
      "df.tail()\n",
    ],
    ["no new line is inserted within a line", "df.head()", " + 1", "df.head()\ndf.tail()", ""],
  ])("%s", (_title, typed, suffix, cell, insert) => {
    expect(help(typed, cell, { suffix }).insert).toBe(insert);
  });
});

describe("undefined names", () => {
  const split = "X_tr, X_val, y_tr, y_val = train_test_split(X, y)";
  const predict = "pred = clf.predict(X_val)\nproba = clf.predict_proba(X_val)";
  const before = [split, predict];
  const knownNames = () => new Set("X y X_tr X_val y_tr y_val clf pred proba scaler StandardScaler cm".split(" "));
  const usualOrigins = new Map([
    ["X_train", ["=train_test_split 0"]],
    ["X_test", ["=train_test_split 1"]],
  ]);
  const insertOf = (hit: HitAdaptation) => [hit.adapted.insert, hit.adapted.renamed];

  it("become the user's variable with the same usual origin", () => {
    const typed = "scaler = StandardScaler()\n";
    const cell =
      "scaler = StandardScaler()\nX_train = scaler.fit_transform(X_train)\nX_test = scaler.transform(X_test)";
    expect(insertOf(help(typed, cell, { before, knownNames, usualOrigins }))).toEqual([
      "X_tr = scaler.fit_transform(X_tr)\nX_val = scaler.transform(X_val)",
      { X_train: "X_tr", X_test: "X_val" },
    ]);
    // Without the usual origins, it is unknown which variable is scaled.
    expect(insertOf(help(typed, cell, { before, knownNames }))).toEqual([
      "X_train = scaler.fit_transform(X_train)\nX_test = scaler.transform(X_test)",
      {},
    ]);
  });

  it("become the user's variable with the same origin in the hit's own notebook", () => {
    const hit = help("cm = ", "cm = confusion_matrix(Y_test, result)", { before, knownNames });
    expect(insertOf(hit)).toEqual(["confusion_matrix(y_val, result)", { Y_test: "y_val" }]);
    const origins = new Map([["result", ["=predict"]]]);
    expect(insertOf(hit.withOrigins(origins))).toEqual([
      "confusion_matrix(y_val, pred)",
      { Y_test: "y_val", result: "pred" },
    ]);
  });

  it("become the user's variable if the cell would split the same data again", () => {
    const cell = [
      "from sklearn.model_selection import train_test_split",
      "X_train, X_test, y_train, y_test = train_test_split(X, y)",
      "clf.fit(X_train, y_train)",
    ];
    const names = { X_test: "X_val", X_train: "X_tr", y_test: "y_val", y_train: "y_tr" };
    const hit = help("", cell.join("\n"), { before: [...before, "clf = SVC()"], knownNames, usualOrigins });
    expect(insertOf(hit)).toEqual(["clf.fit(X_tr, y_tr)", names]);
    expect(help("", cell.slice(0, 2).join("\n"), { before, knownNames, usualOrigins }).added).toBe("");
  });

  it("are found in arguments that look like an assignment", () => {
    const own = ["(a, b), (c, d) = mnist.load_data()"];
    const isKnown = () => new Set("a b c d mnist net hist".split(" "));
    const origins = new Map(["x_train", "y_train", "x_test", "y_test"].map((name, at) => [name, [`=load_data ${at}`]]));
    const cell = "hist = net.fit(x_train, y_train, validation_data=(x_test, y_test))";
    const hit = help("hist = net.fit(", cell, { before: own, knownNames: isKnown, usualOrigins: origins });
    expect(hit.adapted.insert).toBe("a, b, validation_data=(c, d))");
  });

  it("take their next best match if another one has the best", () => {
    const origins = new Map([
      ["guess", ["=predict"]],
      ["other_pred", ["=predict"]],
    ]);
    const hit = help("cm = ", "cm = f(guess, other_pred)", {
      before: ["a_pred = m.predict(q)\nb = m.predict(r)"],
      knownNames,
    });
    expect(insertOf(hit.withOrigins(origins))).toEqual(["f(b, a_pred)", { guess: "b", other_pred: "a_pred" }]);
  });
});
