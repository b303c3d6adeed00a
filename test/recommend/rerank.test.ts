import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileCell } from "../../src/python/profile.js";
import { createReranker, type RerankCandidate, type RerankQuery } from "../../src/recommend/rerank.js";
import { packProfile } from "../../src/store/profile-pack.js";

const FOLDER = "models/rerank";
const EMBEDDER = "celrec-pieces@1/256d/sum/clean-subwords-1500";
const reranker = await createReranker({ folder: FOLDER });

const query = (code: string, more: Partial<RerankQuery> = {}): RerankQuery => ({
  code,
  mode: "similar",
  vectors: {},
  embedder: EMBEDDER,
  ...more,
});
const candidates = (...codes: string[]): RerankCandidate[] =>
  codes.map((code) => ({ id: code, profile: packProfile(profileCell(code)), vector: null }));
const order = (asked: RerankQuery, ...codes: string[]) =>
  reranker.rerank(asked, candidates(...codes)).map(({ id }) => id);

describe("the rerank", () => {
  it("ranks the cell that continues the query first", () => {
    const own = "df = pd.read_csv('a.csv')\ndf.head()";
    expect(order(query("df = pd.read_csv('a.csv')"), "plt.show()", "print(df)", own)[0]).toBe(own);
  });

  it("recognises a cell with renamed variables", () => {
    const renamed = "table = frames.read_csv('a.csv', sep=';')\ntable.describe()";
    const other = "df = pd.DataFrame(pd.Series(df.a), columns=df.b)";
    expect(order(query("df = pd.read_csv('a.csv', sep=';')"), other, renamed)[0]).toBe(renamed);
  });

  it("finds a query of comments by the comments of the cells", () => {
    const own = "# Split into train and test\na, b = cut(c)";
    expect(order(query("# split into train and test"), "a, b = cut(c)", own)[0]).toBe(own);
  });

  it("prefers a cell that fits the cell before", () => {
    const asked = query("model", { mode: "complete", context: { before: ["from xgboost import XGBRegressor"] } });
    const fitting = "model = XGBRegressor()";
    expect(order(asked, "model = keras.Sequential()", fitting)[0]).toBe(fitting);
  });

  it("discounts one-time calls of the cells before, not repeated ones", () => {
    const split = "a, b = train_test_split(X)";
    const show = "plt.plot(X)\nplt.show()";
    for (const mode of ["complete", "next"] as const) {
      const shares = [split, show].map((code) => {
        const asked = query(mode === "next" ? "" : "X", { mode, context: { before: [code] } });
        return reranker.rerank(asked, candidates(code))[0]!.why()["done-calls"] ?? 0;
      });
      expect(shares.map(Math.sign)).toEqual([-1, 0]);
    }
    // No call was made before, so no call is discounted.
    const fresh = query("X", { mode: "complete", context: { before: ["x = 1"] } });
    expect(reranker.rerank(fresh, candidates(split))[0]!.why()["done-calls"]).toBeUndefined();
  });

  it("answers an empty cell from its context, and Markdown alone from the Markdown", () => {
    const codes = ["sns.heatmap(df.corr())", "df.isnull().sum()"];
    const next = query("", { mode: "next", context: { before: ["corr = df.corr()"] } });
    const markdown = query(" ", { context: { markdown: "Heatmap of the correlations (corr)" } });
    expect(order(next, ...codes)[0]).toBe(codes[0]);
    expect(order(markdown, ...codes)[0]).toBe(codes[0]);
  });

  it("gives the shares of the features, whose sizes add up to 1", () => {
    const [hit] = reranker.rerank(query("df.head()"), candidates("df.head()\ndf.tail()"));
    const sizes = Object.values(hit!.why()).reduce((sum, share) => sum + Math.abs(share), 0);
    expect(sizes).toBeCloseTo(1, 12);
    expect(hit!.why().coverage).toBeGreaterThan(0);
    expect(hit!.why().longer).toBeLessThan(0);
  });

  it("has a confidence only for the embedder that it was calibrated with, in every mode", () => {
    for (const mode of ["similar", "complete", "next"] as const) {
      const confidence = (embedder: string) =>
        reranker.rerank(query("x", { mode, embedder }), candidates("x = 1"))[0]!.confidence;
      expect(confidence(EMBEDDER)).toBeGreaterThan(0);
      expect(confidence(EMBEDDER)).toBeLessThan(1);
      expect(confidence("codebert")).toBeNull();
    }
  });

  it("is less sure of an unrelated cell", () => {
    const asked = query("model.fit(X_train, y_train)", { mode: "complete" });
    const hits = reranker.rerank(asked, candidates("model.fit(X_train, y_train)\nmodel.score(X, y)", "!ls"));
    expect(hits[0]!.confidence!).toBeGreaterThan(hits[1]!.confidence!);
  });

  it("gives ties to the smaller id, regardless of the order of the candidates", () => {
    const same = ["b", "c", "a"].map((id) => ({
      id: `tie-${id}`,
      profile: packProfile(profileCell("x = 1")),
      vector: null,
    }));
    expect(reranker.rerank(query("x"), same).map(({ id }) => id)).toEqual(["tie-a", "tie-b", "tie-c"]);
  });

  it("does not prefer unknown words, prefixes or mirrored lines", () => {
    const plain = "scores = model.predict(test)";
    for (const worse of ["qqzx_scores = qqzx_model.predict(qqzx_test)", `${plain}\n)tset(tciderp.ledom = serocs`]) {
      expect(order(query(plain), worse, plain)[0]).toBe(plain);
    }
  });

  it("ranks any texts completely and deterministically", () => {
    const text = fc.string({ unit: "binary", maxLength: 80 });
    fc.assert(
      fc.property(text, fc.uniqueArray(text, { maxLength: 6 }), text, (code, codes, before) => {
        const asked = query(code, { mode: "complete", context: { before: [before], markdown: before } });
        const hits = reranker.rerank(asked, candidates(...codes));
        expect(hits.map(({ id }) => id).sort()).toEqual([...codes].sort());
        expect(
          hits.every(({ score, confidence }) => Number.isFinite(score) && confidence! >= 0 && confidence! <= 1),
        ).toBe(true);
        const plain = (found: typeof hits) => found.map((hit) => ({ ...hit, why: hit.why() }));
        expect(plain(reranker.rerank(asked, candidates(...codes.toReversed())))).toEqual(plain(hits));
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  it.each([
    ["one character", "x"],
    ["unknown words", "qzxv wvkq"],
    ["punctuation", "((([["],
    ["another script", "数据 = 5"],
    ["magics", "!pip install x\n%matplotlib inline"],
    ["10,000 lines", "df = df.dropna()\n".repeat(10_000)],
  ])("answers for %s", (_, code) => {
    const hits = candidates(...Array.from({ length: 100 }, (_, at) => `value = compute(${at})\nprint(value)`));
    expect(reranker.rerank(query(code, { mode: "complete" }), hits)).toHaveLength(100);
  });
});
