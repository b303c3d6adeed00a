import { describe, expect, it } from "vitest";
import type { Services } from "../../src/app/compose.js";
import { assetPath } from "../../src/config.js";
import { cellId } from "../../src/notebook/extract.js";
import { createRecommend, type RecommendRequest } from "../../src/recommend/recommend.js";
import { createReranker } from "../../src/recommend/rerank.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { fill } from "./filled-store.js";

const FIT = "model.fit(X_train, y_train)";
const cells = [
  `${FIT}\nmodel.score(X_test, y_test)`,
  `${FIT}\npredictions = model.predict(X_test)`,
  "df = pd.read_csv('a.csv')",
  "plt.plot(history)",
  "!ls",
];

const ask = (code: string, rest: Partial<RecommendRequest> = {}): RecommendRequest => ({
  code,
  k: 3,
  filter: "off",
  mode: "complete",
  collapse: true,
  diversity: 0,
  ...rest,
});

/** The real store, and the sizes of the pools that it was asked for. */
function watch(store: VectorStore): { store: VectorStore; pools: number[] } {
  const pools: number[] = [];
  const search: VectorStore["search"] = (query) => {
    pools.push(query.k);
    return store.search(query);
  };
  const { forQuestion: _, ...rest } = store;
  return { store: { ...rest, search }, pools };
}

async function watched(services: Services) {
  const { store, pools } = watch(services.store);
  const reranker = await createReranker({ folder: assetPath("models/rerank") });
  return { recommend: createRecommend({ ...services, store, reranker }), pools };
}

describe("two stages", () => {
  it("leave out hits below the minimum confidence, and do not search for more", async () => {
    const services = await fill({ a: cells }, "default");
    const { recommend, pools } = await watched(services);
    const all = (await recommend(ask(FIT, { k: 5 }))).recommendations;
    const confidences = all.map(({ confidence }) => confidence!).toSorted((one, other) => other - one);
    expect(new Set(confidences.slice(0, 3)).size).toBe(3);
    pools.length = 0;
    const sure = await recommend(ask(FIT, { k: 5, minConfidence: confidences[1]! }));
    expect(sure.recommendations.map(({ id }) => id)).toEqual(
      all.filter(({ confidence }) => confidence! >= confidences[1]!).map(({ id }) => id),
    );
    expect(pools).toEqual([32]);
    expect((await recommend(ask(FIT, { minConfidence: 1 }))).recommendations).toEqual([]);
  });

  it("request eight times as many while copies use up the pool", async () => {
    const copies = Array.from({ length: 60 }, (_, at) => `${FIT}  # copy ${at}`);
    const services = await fill({ a: [...copies, ...cells.slice(2)] });
    const { recommend, pools } = await watched(services);
    expect((await recommend(ask(FIT))).recommendations).toHaveLength(3);
    // The first search already found all near-ties.
    expect(pools).toEqual([32, 256]);
  });

  it("find a cell that continues the line among hundreds with the same words", async () => {
    const others = Array.from({ length: 300 }, (_, at) => `show(df.groupby(df.a), df.groupby(df.b), ${at})`);
    const line = "prices.groupby('city').mean()";
    const { recommend } = await fill({ a: [...others, `${line}\n${"log('prices', 1)\n".repeat(40)}`] });
    const { recommendations } = await recommend(ask("df.gro", { context: { before: ["df.head(df.a)"] } }));
    expect(recommendations[0]).toMatchObject({ continuesLine: true, insert: expect.stringMatching(/^upby\('city'\)/) });
  });

  it("ignore the context in mode similar", async () => {
    const { recommend } = await fill({ a: cells }, "default");
    const alone = await recommend(ask(FIT, { mode: "similar" }));
    const context = { before: ["df = pd.read_csv('a.csv')"], markdown: "Plot the history" };
    const inContext = await recommend(ask(FIT, { mode: "similar", context }));
    const ranks = ({ recommendations }: typeof alone) => recommendations.map(({ id, score }) => ({ id, score }));
    expect(ranks(inContext)).toEqual(ranks(alone));
    const complete = await recommend(ask(FIT, { context }));
    expect(complete.recommendations).not.toEqual((await recommend(ask(FIT))).recommendations);
  });

  it("answer many concurrent requests with a tiny cache", async () => {
    const services = await fill({ a: Array.from({ length: 60 }, (_, at) => `value_${at} = f(${at})`) });
    const small = await createReranker({ folder: assetPath("models/rerank"), maxProfileBytes: 3000 });
    const usual = await createReranker({ folder: assetPath("models/rerank") });
    const questions = Array.from({ length: 8 }, (_, at) => ask(`value_${at * 7} = f(`));
    const answer = async (reranker: typeof small) => {
      const recommend = createRecommend({ ...services, reranker });
      const answers = await Promise.all(questions.map((question) => recommend(question)));
      return answers.map(({ recommendations }) => recommendations.map(({ id }) => id));
    };
    expect(await answer(small)).toEqual(await answer(usual));
  });

  it("end between two stages once the signal is aborted", async () => {
    const services = await fill({ a: cells });
    const reranker = await createReranker({ folder: assetPath("models/rerank") });
    const controller = new AbortController();
    let fetched = false;
    const { forQuestion: _, ...whole } = services.store;
    const store: VectorStore = {
      ...whole,
      search: (query) => {
        controller.abort(new Error("the client went away"));
        return services.store.search(query);
      },
      roughVectors: (ids) => {
        fetched = true;
        return services.store.vectors(ids);
      },
    };
    const recommend = createRecommend({ ...services, store, reranker });
    await expect(recommend(ask(FIT, { signal: controller.signal }))).rejects.toThrow("the client went away");
    expect(fetched).toBe(false);
    await expect(recommend(ask(FIT, { signal: AbortSignal.abort(new Error("before")) }))).rejects.toThrow("before");
  });

  it("show no copy after widening, whatever its labels", async () => {
    const services = await fill({});
    const [vector] = await services.embedder.embed([FIT], "cell");
    const cell = (code: string, labels: string[]) => ({
      id: cellId(code),
      code,
      clean: FIT,
      labels,
      primary: labels[0] ?? null,
      vector: vector!,
    });
    const stored = [cell(FIT, ["train_model"]), cell(`${FIT}  # again`, ["evaluate_model"])];
    const cellsOfA = stored.map(({ id }, cellIndex) => ({ id, cellIndex }));
    const known = { source: "upload", name: "a", version: "1", skipped: 0, facts: {} };
    await services.store.write([{ id: "f".repeat(64), ...known, cells: cellsOfA }], async () => stored);
    const question = { mode: "similar", filter: "strict" } as const;
    const codes = async (collapse: boolean) =>
      (await services.recommend(ask(FIT, { ...question, collapse }))).recommendations.map(({ code }) => code);
    expect(await codes(true)).toEqual([FIT]);
    expect(await codes(false)).toEqual([FIT, `${FIT}  # again`]);
  });
});
