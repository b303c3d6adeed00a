import { describe, expect, it } from "vitest";
import { cellId, notebookId } from "../../src/notebook/extract.js";
import { createRecommend, type RecommendRequest } from "../../src/recommend/recommend.js";
import { fill } from "./filled-store.js";

const READ = 'df = pd.read_csv("a.csv")';
const TWIN = `${READ}  # the data`;
const READ_JSON = 'df = pd.read_json("b.json")';
const FIT = "model.fit(X, y)";
const PLAIN = "x = 1";

const ask = (code: string, rest: Partial<RecommendRequest> = {}): RecommendRequest => ({
  code,
  k: 3,
  filter: "off",
  mode: "similar",
  collapse: true,
  ...rest,
});
const codes = ({ recommendations }: { recommendations: readonly { code: string }[] }) =>
  recommendations.map(({ code }) => code);

describe("recommend", () => {
  it("puts the same cell first and numbers the ranks", async () => {
    const { recommend } = await fill({ a: [READ, FIT, PLAIN] });
    const answer = await recommend(ask(FIT));
    expect(answer.recommendations.map(({ rank, id }) => [rank, id])[0]).toEqual([1, cellId(FIT)]);
    expect(answer.recommendations.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(answer.query.primary).toBe("train_model");
  });

  it("gives exactly min(k, cells)", async () => {
    const cells = Array.from({ length: 40 }, (_, at) => `value_${at} = f(${at})`);
    const { recommend } = await fill({ a: cells });
    for (const k of [1, 7, 39, 40, 100]) {
      expect(codes(await recommend(ask("value_3 = f(", { k }))).length).toBe(Math.min(k, 40));
    }
  });

  it("lets `strict` pass only cells of the query's primary label", async () => {
    const { recommend } = await fill({ a: [READ, READ_JSON, FIT, PLAIN] });
    const answer = await recommend(ask(READ, { k: 2, filter: "strict" }));
    expect([codes(answer).sort(), answer.widened]).toEqual([[READ, READ_JSON], false]);
  });

  it("lets `soft` pass cells that have no label", async () => {
    const { recommend } = await fill({ a: [FIT, PLAIN] });
    const answer = await recommend(ask(FIT, { k: 2, filter: "soft" }));
    expect([codes(answer), answer.widened]).toEqual([[FIT, PLAIN], false]);
  });

  it("takes an explicit label as membership, whatever the filter", async () => {
    const { recommend } = await fill({ a: [READ, FIT, PLAIN] });
    for (const filter of ["strict", "soft", "off"] as const) {
      const answer = await recommend(ask(FIT, { k: 1, filter, label: "ingest_data" }));
      expect([codes(answer), answer.widened]).toEqual([[READ], false]);
    }
  });

  it("never widens an explicit label", async () => {
    const { recommend } = await fill({ a: [READ, FIT, PLAIN] });
    const answer = await recommend(ask(FIT, { label: "ingest_data" }));
    expect([codes(answer), answer.widened]).toEqual([[READ], false]);
  });

  it("does not filter a query without a label", async () => {
    const { embedder, labeller, store } = await fill({ a: [READ, FIT, PLAIN] });
    const none = { primary: null, labels: [], probabilities: {}, possible: ["train_model"] };
    const recommend = createRecommend({ embedder, store, labeller: { ...labeller, label: () => none } });
    const answer = await recommend(ask("y = 2", { filter: "strict" }));
    expect([answer.query.primary, answer.recommendations.length, answer.widened]).toEqual([null, 3, false]);
  });

  it("widens if the filter leaves too few cells; passing cells come first", async () => {
    const { recommend } = await fill({ a: [READ, READ_JSON, FIT, PLAIN] });
    const answer = await recommend(ask(FIT, { k: 4, filter: "strict" }));
    expect(answer.widened).toBe(true);
    expect(codes(answer)[0]).toBe(FIT);
    expect(codes(answer).toSorted()).toEqual([READ, READ_JSON, FIT, PLAIN].sort());
  });

  it("does not report `widened` if there is nothing more to add", async () => {
    const { recommend } = await fill({ a: [FIT] });
    const answer = await recommend(ask(FIT, { k: 5, filter: "strict" }));
    expect([codes(answer), answer.widened]).toEqual([[FIT], false]);
  });

  it("collapses cells with equal cleaned text, also after widening", async () => {
    const { recommend } = await fill({ a: [READ, TWIN, FIT] });
    expect(codes(await recommend(ask(READ, { k: 9 }))).length).toBe(2);
    expect(codes(await recommend(ask(READ, { k: 9, filter: "strict" }))).length).toBe(2);
    expect(codes(await recommend(ask(READ, { k: 9, collapse: false }))).length).toBe(3);
    const widened = await recommend(ask(READ, { k: 9, collapse: false, filter: "strict" }));
    expect([codes(widened).slice(0, 2).sort(), codes(widened).length]).toEqual([[READ, TWIN], 3]);
  });

  it("finds k cells after more copies than fit in a pool", async () => {
    const copies = Array.from({ length: 70 }, (_, at) => `${READ}  # copy ${at}`);
    const { recommend } = await fill({ a: [...copies, READ_JSON, FIT] });
    expect(codes(await recommend(ask(READ))).length).toBe(3);
  });

  it("shows the occurrence with the smallest name and index, and counts all occurrences", async () => {
    const { recommend } = await fill({ b: [FIT], a: [PLAIN, FIT, FIT], c: [FIT] });
    const [first] = (await recommend(ask(FIT))).recommendations;
    expect(first).toMatchObject({
      occurrences: 4,
      notebook: { id: notebookId("a"), name: "a", cellIndex: 1 },
    });
  });

  it("leaves out excluded notebooks and the query's own occurrence, and cells without another occurrence", async () => {
    const { recommend } = await fill({ a: [FIT, FIT], b: [FIT], c: [PLAIN] });
    const own = { occurrence: { notebook: notebookId("a"), cellIndex: 0 } };
    expect((await recommend(ask(FIT, { exclude: own }))).recommendations[0]).toMatchObject({
      code: FIT,
      occurrences: 2,
      notebook: { name: "a", cellIndex: 1 },
    });
    const more = { ...own, notebooks: [notebookId("b")] };
    expect((await recommend(ask(FIT, { exclude: more }))).recommendations[0]).toMatchObject({
      code: FIT,
      occurrences: 1,
    });
    const all = { notebooks: [notebookId("a"), notebookId("b")] };
    expect(codes(await recommend(ask(FIT, { exclude: all })))).toEqual([PLAIN]);
  });

  it("fills up to k after excluded cells", async () => {
    const many = Array.from({ length: 60 }, (_, at) => `model_${at}.fit(X, y)`);
    const { recommend } = await fill({ a: many, b: [PLAIN, READ, FIT] });
    const answer = await recommend(ask("model_3.fit(X, y)", { exclude: { notebooks: [notebookId("a")] } }));
    expect(codes(answer).sort()).toEqual([READ, FIT, PLAIN].sort());
  });

  it("ranks next cells of similar cells first, unless their notebook is excluded", async () => {
    // The two cells have nothing in common except their position.
    const values = Array.from({ length: 60 }, (_, at) => `value_${at} = f(${at})`);
    const { recommend } = await fill({ a: [READ, "sns.heatmap(corr)"], b: ["sns.heatmap(corr)", ...values] });
    const next = { mode: "next", context: { before: [FIT, READ] }, explain: true } as const;
    const answer = await recommend(ask("", next));
    expect(codes(answer)[0]).toBe("sns.heatmap(corr)");
    expect(answer.recommendations[0]!.why!.follows).toBeGreaterThan(0);
    const excluding = await recommend(ask("", { ...next, k: 100, exclude: { notebooks: [notebookId("a")] } }));
    const same = excluding.recommendations.find(({ code }) => code === "sns.heatmap(corr)")!;
    expect([same.rank > 1, same.why!.follows]).toEqual([true, undefined]);
    const labelled = await recommend(ask("", { ...next, k: 1, label: "ingest_data" }));
    // The only cell with this label is the one before.
    expect(codes(labelled)).toEqual([]);
  });

  it("diversifies hits in mode complete, and not in mode similar", async () => {
    const alike = Array.from({ length: 6 }, (_, at) => `${READ}\ndf.column_${at}.head()`);
    const others = [`${READ}\ndf.plot(kind="bar")\nplt.show()`, `${READ}\nmodel.fit(df[columns], df.target)`];
    const { recommend } = await fill({ a: [...alike, ...others] });
    for (const [mode, usual] of [
      ["complete", 0.5],
      ["next", 0.3],
      ["similar", 0],
    ] as const) {
      const shown = async (diversity?: number) => codes(await recommend(ask(READ, { mode, diversity })));
      expect(await shown()).toEqual(await shown(usual));
      expect(await shown(1)).not.toEqual(await shown(0));
    }
  });

  it("always finds and continues a stored line that starts with the typed one", async () => {
    const many = Array.from({ length: 30 }, (_, at) => `import pandas as pd\nt${at} = pd.read_csv("train.csv")`);
    const gaps = "data.isnull().sum()";
    const series = "importances = pd.Series(model.feature_importances_, index=X.columns)\nimportances.plot.barh()";
    const { recommend } = await fill({ a: [...many, gaps, series, FIT] }, "default");
    const first = async (code: string) => {
      const { recommendations } = await recommend(ask(code, { mode: "auto", filter: "soft" }));
      return [recommendations[0]?.code, recommendations[0]?.adapted.insert];
    };
    expect(await first("df.isn")).toEqual([gaps, "ull().sum()"]);
    expect(await first("df.isnull")).toEqual([gaps, "().sum()"]);
    expect(await first('import pandas as pd\ndf = pd.read_csv("train.csv")\ndf.isnull().')).toEqual([gaps, "sum()"]);
    expect(await first("importances = pd.Series(model.feature_importances_")).toEqual([
      series,
      ", index=X.columns)\nimportances.plot.barh()",
    ]);
  });

  it("shows hits that differ only in literals once, with their number", async () => {
    const cells = ["red", "blue", "green"].map((color) => `plt.hist(x)\nplt.axvline(0, color="${color}")`);
    const { recommend } = await fill({ a: cells });
    const { recommendations } = await recommend(ask("plt.hist(x)\n", { mode: "complete" }));
    expect(recommendations.map(({ variants }) => variants)).toEqual([2]);
    expect(codes(await recommend(ask("plt.hist(x)\n", { mode: "complete", collapse: false }))).length).toBe(3);
  });

  it("searches past excluded cells for confident hits, and leaves out the others", async () => {
    const many = Array.from({ length: 60 }, (_, at) => `model_${at}.fit(X, y)`);
    const { recommend } = await fill({ a: many, b: [FIT, READ, PLAIN] });
    // The lexical embedder has no confidence, so nothing is left out for it.
    const asked = ask("model_3.fit(X, y)", { minConfidence: 0.9, exclude: { notebooks: [notebookId("a")] } });
    expect(codes(await recommend(asked)).toSorted()).toEqual([FIT, READ, PLAIN].toSorted());
  });

  it("gives no answer to an empty cell, but one to a comment", async () => {
    const { recommend } = await fill({ a: [FIT] });
    expect((await recommend(ask(""))).recommendations).toEqual([]);
    expect((await recommend(ask("   \n\n"))).recommendations).toEqual([]);
    expect(codes(await recommend(ask("# fit the model")))).toEqual([FIT]);
  });

  it("chooses mode complete for typed code, and next without any", async () => {
    const { recommend } = await fill({ a: [READ, FIT, PLAIN] });
    expect((await recommend(ask("df", { mode: "auto" }))).mode).toBe("complete");
    expect((await recommend(ask(" \n", { mode: "auto", context: { before: [PLAIN] } }))).mode).toBe("next");
    expect((await recommend(ask("", { mode: "similar" }))).mode).toBe("similar");
  });

  it("shows no uncertain hits in mode auto, and reports the highest confidence", async () => {
    const { recommend } = await fill({ a: [PLAIN, "!ls", "print(1)"] }, "default");
    const question = "cursor.execute('SELECT name FROM users')\nrows = cursor.fetchall(";
    const silent = await recommend(ask(question, { mode: "auto" }));
    const asked = await recommend(ask(question, { mode: "complete" }));
    expect([codes(silent), codes(asked).length]).toEqual([[], 3]);
    const confidences = asked.recommendations.map(({ confidence }) => confidence!);
    expect(silent.highestConfidence).toBe(asked.highestConfidence);
    expect(confidences).toEqual(confidences.toSorted((one, other) => other - one));
    expect(silent.highestConfidence).toBeGreaterThanOrEqual(confidences[0]!);
    expect(silent.highestConfidence).toBeLessThan(0.1);
    expect(codes(await recommend(ask(question, { mode: "auto", minConfidence: 0 })))).toHaveLength(3);
  });

  it("leaves out cells that add nothing: typed lines under any names, and the cells before", async () => {
    const more = "df.isnull()\ndf.dropna()";
    const { recommend } = await fill({ a: ["df.isnull()", "train.isnull()  # gaps", more, READ] });
    const context = { before: [`# data\n${READ}`] };
    expect(codes(await recommend(ask("df.isnull()", { mode: "complete", context })))).toEqual([more]);
    expect(codes(await recommend(ask("", { mode: "next", context })))).not.toContain(READ);
    expect(codes(await recommend(ask("df.isnull()", { k: 9 })))).toHaveLength(4);
  });

  it("shows what each hit adds, in the user's names", async () => {
    const { recommend } = await fill({ a: [`${READ}\ndf.head()`] });
    const [hit] = (await recommend(ask('train = pd.read_csv("a.csv")', { mode: "complete" }))).recommendations;
    expect(hit).toMatchObject({
      matched: [{ start: 0, end: 1 }],
      insert: "df.head()",
      continuesLine: false,
      excerpt: [
        { line: 0, text: READ },
        { line: 1, text: "df.head()" },
      ],
      adapted: {
        code: 'train = pd.read_csv("a.csv")\ntrain.head()',
        insert: "train.head()",
        renamed: { df: "train" },
      },
    });
  });
});
