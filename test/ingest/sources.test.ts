import { describe, expect, it } from "vitest";
import { notebookId } from "../../src/cells/extract.js";
import { createIngest } from "../../src/ingest/ingest.js";
import { listSources, removeNotebooks, sourceId } from "../../src/ingest/sources.js";
import { embedder, labeller, notebook, useStores } from "./fixtures.js";

const { newStore } = useStores();

async function fill() {
  const store = newStore();
  const ingest = createIngest({ embedder, labeller, store });
  await ingest([
    { ...notebook("1.ipynb", "a = 1", "b = 2", "# nothing"), source: "zoo" },
    { ...notebook("2.ipynb", "a = 1"), source: "zoo" },
    { ...notebook("1.ipynb", "c = 3"), source: "ark" },
  ]);
  return store;
}

describe("sources", () => {
  it("are listed by name, with what each holds", async () => {
    expect(await listSources(await fill())).toEqual([
      { id: sourceId("ark"), source: "ark", notebooks: 1, cells: 1, skipped: 0 },
      { id: sourceId("zoo"), source: "zoo", notebooks: 2, cells: 3, skipped: 1 },
    ]);
    expect(await listSources(newStore())).toEqual([]);
  });

  it("have an id that any name gives, the same one always", () => {
    expect(sourceId("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sourceId("\ud800")).toBe(sourceId("\ufffd"));
  });

  it("lose the notebooks that are not kept, and no other source does", async () => {
    const store = await fill();
    const kept = notebookId("2.ipynb", "zoo");
    expect(await removeNotebooks(store, new Set(["zoo"]), (id) => id === kept)).toBe(1);
    expect((await listSources(store)).map(({ source, notebooks }) => [source, notebooks])).toEqual([
      ["ark", 1],
      ["zoo", 1],
    ]);
    expect(await removeNotebooks(store, new Set(["zoo"]), () => false, AbortSignal.abort())).toBe(0);
    expect(await removeNotebooks({ ...store, remove: async () => false }, new Set(["zoo"]), () => false)).toBe(0);
    expect(await removeNotebooks(store, new Set(["zoo", "ark"]), () => false)).toBe(2);
  });

  it("are read a page at a time", async () => {
    const pages: (string | undefined)[] = [];
    const summaries = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ id: `${from + at}`, source: "s", name: "n", skipped: 1, cells: 2 }));
    const store = {
      notebooks: async ({ after, limit }: { after?: string; limit: number }) => {
        pages.push(after);
        return after === undefined ? summaries(0, limit) : after === "999" ? summaries(1_000, limit) : [];
      },
    };
    const [source] = await listSources(store);
    expect([source!.notebooks, source!.cells, source!.skipped]).toEqual([2_000, 4_000, 2_000]);
    expect(pages).toEqual([undefined, "999", "1999"]);
  });
});
