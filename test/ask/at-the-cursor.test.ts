import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compose, type Services } from "../../src/app/compose.js";
import { createComplete } from "../../src/ask/complete.js";
import { parseInput } from "../../src/ask/parse-input.js";
import { completeRequest } from "../../src/ask/requests.js";
import { parseConfig } from "../../src/config.js";
import { ingestWhole } from "../../src/ingest/ingest-corpus.js";
import { openPaths } from "../../src/notebook/corpus/open-paths.js";
import { fastFolder } from "../fast-folder.js";

const LOADED = ["import pandas as pd", "df = pd.read_csv('train.csv')"];
const SPLIT = [
  "from sklearn.model_selection import train_test_split\nfrom sklearn.linear_model import LogisticRegression",
  "X = df.drop('y', axis=1)\ny = df['y']",
  "X_train, X_test, y_train, y_test = train_test_split(X, y)",
  "clf = LogisticRegression()\nclf.fit(X_train, y_train)",
];

describe.each([
  ["an empty index", []],
  ["the samples indexed", ["examples/notebooks"]],
])("completion at the cursor with %s", (_, paths) => {
  let services: Services;
  const folder = mkdtempSync(join(fastFolder, "celrec-test-"));
  beforeAll(async () => {
    const config = parseConfig({ CELREC_DATA: folder, CELREC_EMBEDDER: "lexical" });
    services = await compose(config, { activity: "celrec test", hold: "call" });
    if (paths.length > 0) await ingestWhole((await openPaths(paths, { source: "samples" })).corpus, services);
    await services.completion.update();
  });
  afterAll(async () => {
    await services.close();
    rmSync(folder, { recursive: true });
  });

  /** The texts that the REST route would answer. */
  const ask = async (prefix: string, before: readonly string[] = [], more: object = {}) => {
    const complete = createComplete(services.completion);
    const request = parseInput(completeRequest, { prefix, k: 3, context: { before }, ...more });
    return (await complete(request)).completions.map(({ text }) => text);
  };

  it.each<[string, readonly string[], RegExp]>([
    ["df.gro", [], /^upby\b/],
    ["df.gro", LOADED, /^upby\b/],
    ["df = pd.read_csv", ["import pandas as pd"], /^\(/],
    ["df.isnull().", LOADED, /^sum\(\)/],
    ["df.groupby('Sex')['Survived'].", LOADED, /^\w+/],
    ["plt.fig", ["import matplotlib.pyplot as plt"], /^ure\b/],
    ["from sklearn.model_selection import ", [], /^train_test_split/],
    ["y_pred = clf.", [...LOADED, ...SPLIT], /^predict\(X_test\)$/],
    ["clf.fit(", [...LOADED, ...SPLIT.slice(0, 3), "clf = LogisticRegression()"], /^X_train, y_train\)$/],
  ])("continues %j as expected", async (prefix, before, expected) => {
    expect((await ask(prefix, before))[0]).toMatch(expected);
  });

  it("suggests an argument for an open call instead of closing it", async () => {
    expect((await ask("df['Age'] = df['Age'].fillna(", LOADED)).filter((text) => text.startsWith(")"))).toEqual([]);
  });

  it("does not repeat text of the suffix", async () => {
    const prefix = "GridSearchCV(RandomForestClassifier(), ";
    const texts = await ask(prefix, ["param_grid = {'max_depth': [1, 2]}"], { suffix: ", cv=5)", minConfidence: 0 });
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(text).not.toMatch(/cv|\)$/);
  });

  it("suggests no undefined name", async () => {
    for (const text of await ask("model.fit(", ["from sklearn.svm import SVC\nmodel = SVC()"]))
      expect(text).not.toMatch(/X_train|y_train/);
  });

  it("offers columns and members of the kernel, or those that the notebook mentions", async () => {
    const variables = {
      df: { type: "DataFrame", columns: ["Age", "Fare"] },
      thing: { type: "Thing", members: ["frobnicate"] },
    };
    const context = { before: ["df['Cabin'].nunique()"], variables };
    const columns = (await ask('df["', [], { context })).map((text) => text.replace(/".*/, ""));
    expect(columns.filter((name) => name !== "Age" && name !== "Fare")).toEqual([]);
    expect((await ask("thing.", [], { context }))[0]).toMatch(/^frobnicate/);
    expect(await ask("df['", [...LOADED, "df['Cabin'].nunique()"])).toContainEqual(expect.stringMatching(/^Cabin'\]/));
  });

  it("does not suggest reading a file that the notebook has already read", async () => {
    const texts = await ask("test = pd.read_csv(", LOADED);
    expect(texts.filter((text) => text.includes("train.csv"))).toEqual([]);
  });

  it("suggests no assignment to an imported class or module", async () => {
    const before = ["from sklearn.ensemble import RandomForestClassifier\nimport pandas as pd"];
    for (const name of ["RandomForestClassifier", "pd"])
      for (const text of await ask(`${name} `, before, { minConfidence: 0 })) expect(text).not.toMatch(/^=/);
  });
});
