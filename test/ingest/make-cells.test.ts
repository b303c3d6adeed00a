import { describe, expect, it } from "vitest";
import type { Embedder } from "../../src/embed/embedder.js";
import { createIngest } from "../../src/ingest/ingest.js";
import { cacheMadeCells, createRevise, type MakeNewCells, type MakeResult } from "../../src/ingest/make-cells.js";
import { embedder, labeller, notebook, useStores } from "./fixtures.js";

const cells = (...ids: string[]) => ids.map((id) => ({ id, code: `code of ${id}` }));

/** A stub that returns "empty" for every cell and records the requested cells. */
function watched(fails: (asked: number) => boolean = () => false) {
  const asked: string[][] = [];
  const make: MakeNewCells = async (wanted) => {
    asked.push(wanted.map(({ id }) => id));
    await Promise.resolve();
    if (fails(asked.length)) throw new Error("no room");
    return new Map(wanted.map(({ id }): [string, MakeResult] => [id, "empty"]));
  };
  return { asked, make };
}

describe("recent cells", () => {
  it("are made once for concurrent callers, and every caller gets all of its cells", async () => {
    const { asked, make } = watched();
    const remember = cacheMadeCells(make, 10);
    const [first, second] = await Promise.all([remember(cells("a", "b")), remember(cells("b", "c"))]);
    const third = await remember(cells("a", "c"));
    expect(asked).toEqual([["a", "b"], ["c"]]);
    expect([first, second, third].map((made) => [...made.keys()])).toEqual([
      ["a", "b"],
      ["b", "c"],
      ["a", "c"],
    ]);
    expect(first.get("a")).toBe("empty");
  });

  it("are dropped oldest first if there are too many", async () => {
    const { asked, make } = watched();
    const remember = cacheMadeCells(make, 2);
    await remember(cells("a", "b", "c"));
    await remember(cells("b", "c"));
    await remember(cells("a"));
    await remember(cells("c"));
    await remember(cells("b"));
    expect(asked).toEqual([["a", "b", "c"], ["a"], ["b"]]);
  });

  it("are retried by the next caller after a failure", async () => {
    const { asked, make } = watched((count) => count === 1);
    const remember = cacheMadeCells(make, 10);
    await expect(remember(cells("a"))).rejects.toThrow("no room");
    expect(await remember(cells("a"))).toEqual(new Map([["a", "empty"]]));
    expect(asked).toEqual([["a"], ["a"]]);
  });
});

const { newStore } = useStores();

describe("createRevise", () => {
  it("labels and embeds stored cells again, and drops those without tokens", async () => {
    const store = newStore();
    await createIngest({ embedder, labeller, store })([notebook("a.ipynb", "a = 1", "df = pd.read_csv('a')", "x")]);
    const counted: number[] = [];
    const blind: Embedder = {
      ...embedder,
      embed: async (texts) =>
        texts.map((text) => (text === "x" ? null : new Float32Array(512).fill(1 / Math.sqrt(512)))),
    };
    await store.rewrite(createRevise({ embedder: blind, labeller }, (cells) => counted.push(cells)));
    expect(counted).toEqual([3]);
    expect(await store.counts()).toMatchObject({ cells: 2, notebooks: 1, occurrences: 2 });
    const hits = await store.search({ vector: new Float32Array(512).fill(1 / Math.sqrt(512)), k: 5 });
    expect(hits.map(({ score }) => score.toFixed(5))).toEqual(["1.00000", "1.00000"]);
  });
});
