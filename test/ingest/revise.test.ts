import { describe, expect, it } from "vitest";
import type { Embedder } from "../../src/embed/embedder.js";
import { createIngest } from "../../src/ingest/ingest.js";
import { createRevise } from "../../src/ingest/revise.js";
import { embedder, labeller, notebook, useStores } from "./fixtures.js";

const { newStore } = useStores();

describe("createRevise", () => {
  it("labels and embeds stored cells anew, and drops those without tokens", async () => {
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
