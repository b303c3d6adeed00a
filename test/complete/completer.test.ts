import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type Completer, createCompleter } from "../../src/complete/completer.js";
import type { CompleteContext } from "../../src/complete/completion-request.js";
import { createIndexModel } from "../../src/complete/index-model.js";
import { openShippedModel } from "../../src/complete/shipped-model.js";
import { readCell, readPrefix } from "../../src/complete/tokens.js";
import { assetPath } from "../../src/config.js";

let complete: Completer;
beforeAll(async () => {
  const shipped = await openShippedModel(assetPath("models/complete"));
  complete = createCompleter({ shipped, index: createIndexModel({ shipped }) });
});

const ask = (prefix: string, context: CompleteContext = {}, suffix = "") =>
  complete({ prefix, suffix, k: 3, maxLines: 1, context, minConfidence: 0 }).completions;
const first = (prefix: string, context: CompleteContext = {}, suffix = "") => ask(prefix, context, suffix)[0]?.text;

describe("a completer with nothing indexed", () => {
  it.each([
    ["df.gro", "upby("],
    ["plt.fig", "ure("],
    ["import numpy as ", "np"],
    ["import pandas as pd\ndf = pd.read_csv('train.csv')\ndf.isnull().", "sum()"],
    ["from sklearn.model_selection import ", "train_test_split"],
  ])("continues %j in the usual style", (prefix, start) => {
    expect(ask(prefix).some(({ text }) => text.startsWith(start))).toBe(true);
  });

  it("reports the shipped prior as the source", () => {
    expect(ask("import numpy as ")[0]).toMatchObject({ text: "np", from: "prior", kind: "line", cells: [] });
  });
});

describe("a completion in the user's names", () => {
  const split =
    "from sklearn.linear_model import LogisticRegression\nXa, Xb, ya, yb = train_test_split(X, y)\nclf = LogisticRegression()";

  it("passes the training part of a split to `fit`", () => {
    expect(first("clf.fit(", { before: [split] })).toBe("Xa, ya)");
  });

  it("offers the columns that the kernel knows", () => {
    const variables = { df: { type: "DataFrame", columns: ["Age", "Fare"] } };
    const texts = ask('df["', { variables }).map(({ text }) => text);
    expect(texts.some((text) => text.startsWith('Age"]')) && texts.some((text) => text.startsWith('Fare"]'))).toBe(
      true,
    );
  });

  it("offers the members that the kernel knows", () => {
    const variables = { thing: { type: "Thing", members: ["frobnicate"] } };
    expect(first("thing.frob", { variables })).toMatch(/^nicate/);
  });

  it("does not read the same file again", () => {
    const texts = ask("b = pd.read_csv(", { before: ["import pandas as pd\na = pd.read_csv('a.csv')"] });
    expect(texts.filter(({ text }) => text.includes("'a.csv'"))).toEqual([]);
  });
});

describe("the choice of arguments", () => {
  const notebook = {
    before: [
      "import pandas as pd\nfrom sklearn.linear_model import LogisticRegression",
      "X_train, X_test, y_train, y_test = train_test_split(X, y)\nclf = LogisticRegression()\nclf.fit(X_train, y_train)",
    ],
  };

  it("passes the data that belongs to the assigned name", () => {
    expect(first("y_train_pred = clf.predict(", notebook)).toBe("X_train)");
    expect(first("y_test_pred = clf.predict(", notebook)).toBe("X_test)");
    for (const { text } of ask("y_train_pred = clf.", notebook)) expect(text).not.toContain("X_test");
  });

  it("passes no undefined name, even if no import is visible", () => {
    for (const { text } of ask('plt.plot(history.history["loss"], ')) expect(text).not.toMatch(/^\w+$|^\w+[,)]/);
  });

  it("ends with the = of a keyword argument, but not after a name that may be half-typed", () => {
    expect(first('plt.plot(history.history["loss"], ')).toBe("label=");
    for (const { text } of ask("plt.plot(x, lab", { before: ["x = [1]"] })) expect(text).not.toMatch(/^=/);
  });

  it("does not repeat a call with the same number", () => {
    const cell = "plt.subplot(2, 2, 1)\nplt.hist(df['Age'])\nplt.subplot(2, 2, ";
    expect(first(cell, { before: ["import matplotlib.pyplot as plt"] })).toBe("2)");
    expect(first("plt.subplot(2, 2, 1)\nplt.subplot(2, ", { before: ["import matplotlib.pyplot as plt"] })).toMatch(
      /^2, /,
    );
  });

  it("may repeat a name that a statement needs twice", () => {
    const sales = { before: ["import pandas as pd\nsales = pd.read_csv('sales.csv')"] };
    expect(first("sales['date'] = pd.to_", sales)).toBe("datetime(sales['date'])");
  });

  it("does not repeat itself endlessly", () => {
    for (const { text } of ask("x = [1, 1, 1, 1, ")) expect(text).not.toContain("1, 1");
  });

  it("closes a call without arguments if nearly everybody does", () => {
    const frame = { before: ["import pandas as pd\ndf = pd.read_csv('a.csv')"] };
    expect(first("df.isnull(", frame)).toBe(").sum()");
    for (const { text } of ask("plt.title(", frame)) expect(text).not.toMatch(/^\)/);
  });

  it("does not close a call after a comma", () => {
    for (const { text } of ask("sns.heatmap(df.corr(), ")) expect(text).not.toMatch(/^\)/);
    for (const { text } of ask("plt.scatter(x, y, ", { before: ["x, y = [1], [2]"] })) expect(text).not.toMatch(/^\)/);
  });
});

describe("a name that is half-typed", () => {
  it("is continued as the notebook has it, even if it was never used in this place", () => {
    expect(first("cv.fit_transform(norm_train_r", { before: ["norm_train_reviews = clean(reviews)"] })).toBe("eviews)");
    expect(first("print(MAX_P", { before: ["MAX_PID = 3"] })).toBe("ID)");
  });
});

describe("a table that was just shown", () => {
  const shown = { before: ["import pandas as pd\ntitanic = pd.read_csv('titanic.csv')", "titanic.head()"] };

  it("is not shown again in the same way", () => {
    for (const { text } of ask("titanic.", shown)) expect(text).not.toMatch(/^head\(\)/);
    expect(first("titanic.he", shown)).toBe("ad()");
    const anew = { before: [...shown.before, "titanic = titanic.dropna()"] };
    expect(first("titanic.", anew)).toBe("head()");
  });
});

describe("a list of completions", () => {
  const notebook = {
    before: [
      "import pandas as pd",
      "df = pd.read_csv('train.csv')",
      "from sklearn.model_selection import train_test_split",
      "X = df.drop('y', axis=1)\ny = df['y']",
    ],
  };

  it("starts with the likely start of a line if no whole line is likely", () => {
    const [first] = ask("X_train, X_test, y_train, y_test = ", notebook);
    expect(first).toMatchObject({ kind: "token" });
    expect(first!.text).toMatch(/^train_test_split/);
  });

  it("is sorted by confidence, and has no text twice", () => {
    for (const prefix of ["df.", "plt.", "x = ", "import ", "for i in "]) {
      const found = ask(prefix, notebook);
      expect(found.map(({ confidence }) => confidence)).toEqual(
        found.map(({ confidence }) => confidence).toSorted((a, b) => b - a),
      );
      expect(new Set(found.map(({ text }) => text)).size).toBe(found.length);
    }
  });

  it("suggests a colon only where Python allows one", () => {
    for (const prefix of ["df.head()", "x = [i for i in range(3)", "print(df.shape)"])
      for (const { text } of ask(prefix, notebook)) expect(text).not.toMatch(/^[)\]]*:/);
    for (const { text, kind } of ask("for i in range(", notebook)) if (kind === "line") expect(text).toMatch(/:/);
  });

  it("does not end a half-typed name that occurs nowhere", () => {
    for (const { text } of ask("zq", notebook)) expect(text).toMatch(/^\w/);
  });
});

describe("the text after the cursor", () => {
  it("is not inserted a second time", () => {
    const texts = ask("print(df.sha", { before: ["df = pd.read_csv('x')"] }, ")").map(({ text }) => text);
    expect(texts[0]).toBe("pe");
    expect(texts.filter((text) => text.includes(")"))).toEqual([]);
  });

  it("keeps the brackets that it closes", () => {
    for (const { text } of ask("clf.fit(X_train, ", { before: ["X_train, y_train = load()"] }, ")"))
      expect(text.split(")").length - 1).toBe(text.split("(").length - 1);
  });
});

describe("any text after the cursor", () => {
  const cells = [
    "grid = GridSearchCV(RandomForestClassifier(), param_grid, cv=5)",
    "print(df.groupby('Sex')['Survived'].mean())",
    "X_train, X_test = train_test_split(X, y, test_size=0.2)",
    "values = [f(x, {'a': (1, 2)}) for x in range(len(df[df['a'] > 1]))]",
    "for name in sorted(set(df['name'])):\n    print(name, df.loc[name].shape)",
  ];
  /** A cell, cut at a place, with some of its text missing after the cursor. */
  const cut = fc.tuple(fc.constantFrom(...cells), fc.nat(70), fc.nat(12)).map(([cell, at, missing]) => ({
    prefix: cell.slice(0, at),
    suffix: cell.slice(Math.min(at, cell.length) + missing),
  }));
  const openAfter = (code: string) => readPrefix(`${code} `).open.length;
  const wordsOf = (code: string) => readCell(code).map(({ text }) => text);

  it("is not repeated, and keeps closing its brackets", () => {
    fc.assert(
      fc.property(cut, ({ prefix, suffix }) => {
        const rest = suffix.split("\n", 1)[0]!;
        const first = wordsOf(rest);
        for (const { text } of ask(prefix, { before: ["import pandas as pd", "df = pd.read_csv('a.csv')"] }, suffix)) {
          if (first.length > 1) expect(wordsOf(text).slice(-first.length)).not.toEqual(first);
          const closed = Math.min(closedBy(rest), openAfter(prefix));
          expect(openAfter(prefix + text)).toBeGreaterThanOrEqual(closed);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** The number of brackets that a completion closes and that were opened before the cursor. */
function closedBy(code: string): number {
  let [depth, lowest] = [0, 0];
  for (const { kind, text } of readCell(code)) {
    if (kind !== "operator") continue;
    if ("([{".includes(text)) depth += 1;
    else if (")]}".includes(text)) depth -= 1;
    lowest = Math.min(lowest, depth);
  }
  return -lowest;
}

describe("whatever is typed", () => {
  it("a completion continues the token at the cursor", () => {
    const code = fc.string({ unit: fc.constantFrom(..."dfx.()[]='\"\n ,:pd12#%!\\".split("")), maxLength: 40 });
    fc.assert(
      fc.property(code, code, (prefix, suffix) => {
        for (const { text, confidence } of ask(prefix, {}, suffix)) {
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
          expect(text.trim()).not.toBe("");
          // The tokens that were complete before the cursor are unchanged.
          const before = readPrefix(prefix).tokens;
          expect(readPrefix(`${prefix}${text}\n`).tokens.slice(0, before.length)).toEqual(before);
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ["a comment", "# load the da"],
    ["a docstring", '"""Load the da'],
    ["an empty cell without a notebook", "#"],
  ])("nothing is suggested in %s", (_, prefix) => {
    expect(ask(prefix)).toEqual([]);
  });

  it.each([
    ["256 KB of brackets", "(".repeat(262_144)],
    ["256 KB without a line break", "x = 1 + ".repeat(32_768)],
    ["binary", String.fromCharCode(...Array.from({ length: 512 }, (_, at) => at % 256))],
    ["lone surrogates", "\ud800x = \udc00"],
    ["a magic", "%%bash\nls | gre"],
    ["a shell line", "!pip install pan"],
    ["another language", "#include <vector>\nint main() { std::"],
  ])("answers %s", (_, prefix) => {
    expect(Array.isArray(ask(prefix))).toBe(true);
  });

  it("nothing is suggested in a statement of more than 2,000 tokens", () => {
    expect(ask(`x = [${"1, ".repeat(500)}`)).not.toEqual([]);
    expect(ask(`x = [${"1, ".repeat(1_000)}`)).toEqual([]);
  });

  it("reads a context of 5,000 cells", () => {
    const before = Array.from({ length: 5_000 }, (_, at) => `value_${at} = compute(${at})`);
    expect(Array.isArray(ask("value_", { before }))).toBe(true);
  });

  it("takes hostile names and columns", () => {
    const variables = { __proto__x: "x", "a b": { type: "DataFrame", columns: ["'", '"', "\n", "\u0000", "a'b\"c"] } };
    expect(Array.isArray(ask("a", { variables }))).toBe(true);
  });
});

describe("below the threshold", () => {
  it("nothing is returned", () => {
    expect(complete({ prefix: "zqx = wvu.", k: 3, maxLines: 1, minConfidence: 0.99 }).completions).toEqual([]);
  });

  it("completions above the fallback threshold are returned instead, from the same search", () => {
    const request = { prefix: "df.gro", k: 3, maxLines: 1 };
    const low = complete({ ...request, minConfidence: 0.05 }).completions;
    expect(low[0]!.confidence).toBeLessThan(0.999);
    expect(complete({ ...request, minConfidence: 0.999, fallbackConfidence: 0.05 }).completions).toEqual(low);
    // A fallback threshold does not change completions that reach the threshold.
    expect(complete({ ...request, minConfidence: 0.05, fallbackConfidence: 0.01 }).completions).toEqual(low);
  });

  it("a likely start of the line replaces an unlikely line", () => {
    const [only] = complete({ prefix: "df.gro", k: 1, maxLines: 1, minConfidence: 0.6 }).completions;
    expect(only?.text.startsWith("upby")).toBe(true);
  });
});

describe("several lines", () => {
  it("do not exceed the requested number", () => {
    const { completions } = complete({
      prefix: "import ",
      k: 1,
      maxLines: 3,
      minConfidence: 0,
      context: { before: ["import numpy as np\nimport pandas as pd\nimport matplotlib.pyplot as plt"] },
    });
    for (const { text } of completions) expect(text.split("\n").length).toBeLessThanOrEqual(3);
  });
});
