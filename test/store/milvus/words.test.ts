import { afterAll, describe, expect, it } from "vitest";
import { toWords } from "../../../src/store/milvus/rows.js";
import { cell, expectSoon, IDENTITY, ids, notebook, put } from "../contract/fixtures.js";
import { ADDRESS, hasMilvus, hasMilvusLite, LITE_ADDRESS, newPlace } from "./server.js";

const READ = cell("df = pd.read_csv('train.csv')", [1, 0, 0, 0], ["load"]);
const PLOT = cell("plt.plot(df.train, df.test)", [0, 1, 0, 0], ["plot"]);
const LONG = cell(`${"x = 1\n".repeat(200)}readCsv()`, [0, 0, 1, 0], ["load"]);
const NONE = cell("y = 2", [0, 0, 0, 1]);

describe("the words of a cell", () => {
  it("are its subwords, with blanks between them", () => {
    expect(toWords("X_train = readCSV(2)")).toBe("x train = read csv ( 2 )");
  });

  it("are cut after a whole word at the limit of the field", () => {
    const words = toWords("(".repeat(60_000));
    expect(words.length).toBe(65_533);
    expect(words.split(" ").length).toBe(32_767);
  });
});

describe.runIf(await hasMilvusLite())("search by words on a server that supports it", () => {
  const place = newPlace(LITE_ADDRESS);
  const store = place.open(IDENTITY);
  afterAll(async () => {
    await store.close();
    await place.drop();
  });
  const found = (words: Record<string, number>, filter?: Parameters<typeof store.lexical>[0]["filter"]) => async () =>
    ids((await store.lexical({ words: new Map(Object.entries(words)), k: 5, ...(filter && { filter }) }))!);

  it("finds the cells that hold any of the words, best first, with the label filter, and no removed ones", async () => {
    await put(store, [notebook("one.ipynb", [READ, PLOT, LONG, NONE])]);
    await expectSoon(store, found({ read: 1, csv: 1 }), ids([READ, LONG]));
    await expectSoon(store, found({ read: 0.25, plot: 1 }), ids([PLOT, READ, LONG]));
    await expectSoon(store, found({ df: 1 }, { field: "primary", any: ["load"], unlabelled: false }), [READ.id]);
    await expectSoon(store, found({ y: 1 }, { field: "labels", any: [], unlabelled: true }), [NONE.id]);
    await expectSoon(store, found({ unheard: 1 }), []);
    expect(await found({})()).toEqual([]);
    expect(await found({ df: 1 }, { field: "labels", any: [], unlabelled: false })()).toEqual([]);
    await put(store, [notebook("one.ipynb", [PLOT, NONE], "v2")]);
    await expectSoon(store, found({ read: 1, csv: 1 }), []);
  });

  it("scores by BM25 as the embedded store does", async () => {
    // k1 1.2, b .4: log(1 + (N - n + .5) / (n + .5)) * 2.2 * tf / (tf + 1.2 * (.6 + .4 * length / mean)).
    const other = newPlace(LITE_ADDRESS);
    const small = other.open(IDENTITY);
    const cells = [cell("alpha beta"), cell("beta beta gamma gamma"), cell("delta delta delta")];
    await put(small, [notebook("one.ipynb", cells)]);
    const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    const score = (count: number, length: number) => (idf * 2.2 * count) / (count + 1.2 * (0.6 + (0.4 * length) / 3));
    const expected = [
      { id: cells[1]!.id, score: score(2, 4) },
      { id: cells[0]!.id, score: score(1, 2) },
    ];
    const scores = async () =>
      (await small.lexical({ words: new Map([["beta", 1]]), k: 5 }))!.map(({ id, score }) => [id, score.toFixed(2)]);
    await expectSoon(
      small,
      scores,
      expected.map(({ id, score }) => [id, score.toFixed(2)]),
    );
    await small.close();
    await other.drop();
  });
});

describe.runIf(await hasMilvus())("search by words on a server that does not support it", () => {
  it("answers null", async () => {
    const place = newPlace(ADDRESS);
    const store = place.open(IDENTITY);
    expect(await store.lexical({ words: new Map([["df", 1]]), k: 5 })).toBe(null);
    await store.close();
    await place.drop();
  });
});
