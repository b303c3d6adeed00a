import { describe, expect, it } from "vitest";
import type { Embedder } from "../../src/embed/embedder.js";
import { RecommenderError } from "../../src/errors.js";
import { createIngest } from "../../src/ingest/ingest.js";
import { cellId, notebookId } from "../../src/notebook/extract.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { countLabels, embedder, labeller, notebook, useStores } from "./fixtures.js";

const READ = "df = pd.read_csv('train.csv')";
const FIT = "model.fit(X_train, y_train)";
const PLOT = "plt.hist(df['age'])";

const { newStore } = useStores();
const openIngest = (store: VectorStore = newStore(), used: Embedder = embedder) => ({
  store,
  ingest: createIngest({ embedder: used, labeller, store }),
});
const totals = async (store: VectorStore) => {
  const { cells, notebooks, occurrences } = await store.counts();
  return { cells, notebooks, occurrences };
};

describe("ingest, the report", () => {
  it("counts new cells, duplicates, skipped cells and labels", async () => {
    const { ingest, store } = openIngest();
    const reports = await ingest([notebook("a.ipynb", "md:# Title", READ, "", FIT, READ, "# nothing")]);
    expect(reports).toEqual([
      {
        id: notebookId("a.ipynb"),
        source: "upload",
        name: "a.ipynb",
        cells: 3,
        new: 2,
        duplicate: 1,
        skipped: 2,
        replaced: false,
        unchanged: false,
        labels: countLabels(READ, FIT, READ),
      },
    ]);
    expect(await totals(store)).toEqual({ cells: 2, notebooks: 1, occurrences: 3 });
  });

  it("gives reading, training and plotting their labels", () => {
    expect(countLabels(READ, FIT, PLOT)).toMatchObject({ ingest_data: 1, train_model: 1, visualize_data: 1 });
  });

  it("counts cells of other notebooks as duplicates, in this batch or before", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", READ)]);
    const reports = await ingest([notebook("b.ipynb", READ, FIT), notebook("c.ipynb", FIT, PLOT)]);
    expect(reports.map(({ name, new: added, duplicate }) => [name, added, duplicate])).toEqual([
      ["b.ipynb", 1, 1],
      ["c.ipynb", 1, 1],
    ]);
    expect(await totals(store)).toEqual({ cells: 3, notebooks: 3, occurrences: 5 });
  });

  it("is empty for an empty batch", async () => {
    expect(await openIngest().ingest([])).toEqual([]);
  });

  it("counts a notebook without code", async () => {
    const { ingest, store } = openIngest();
    const [report] = await ingest([notebook("a.ipynb", "md:text")]);
    expect(report).toMatchObject({ cells: 0, new: 0, duplicate: 0, skipped: 0, replaced: false, labels: {} });
    expect(await totals(store)).toEqual({ cells: 0, notebooks: 1, occurrences: 0 });
  });
});

describe("ingest, what is stored", () => {
  it("keeps the index of a cell even if cells before it are skipped", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", "", "md:text", READ, "# c", FIT)]);
    expect(await store.notebook(notebookId("a.ipynb"))).toMatchObject({
      name: "a.ipynb",
      skipped: 2,
      cells: [
        { cellIndex: 2, id: cellId(READ) },
        { cellIndex: 4, id: cellId(FIT) },
      ],
    });
  });

  it("stores raw and clean code, labels in the order of the set, and the vector of the clean code", async () => {
    const { ingest, store } = openIngest();
    const code = `${READ}  # load\r\n\r\n`;
    await ingest([notebook("a.ipynb", code)]);
    const id = cellId(code);
    const { labels, primary } = labeller.label(READ, "cell");
    const assigned = labels.map(({ label }) => label);
    expect(await store.cells([id])).toEqual([
      {
        id,
        code: `${READ}  # load`,
        clean: READ,
        labels: labeller.labels.filter((label) => assigned.includes(label)),
        primary,
      },
    ]);
    expect((await store.vectors([id])).get(id)).toEqual((await embedder.embed([READ], "cell"))[0]);
  });

  it.each<[string, string, number, number]>([
    ["60,000 bytes", `x = "${"a".repeat(59_994)}"`, 1, 0],
    ["60,001 bytes", `x = "${"a".repeat(59_995)}"`, 0, 1],
    ["60,000 bytes of wide characters", `x = "${"é".repeat(29_997)}"`, 1, 0],
    ["60,002 bytes of wide characters", `x = "${"é".repeat(29_998)}"`, 0, 1],
    ["60,001 bytes, most of them a comment", `x # ${"a".repeat(59_997)}`, 0, 1],
    ["60,001 bytes, the last of them a line end", `x = "${"a".repeat(59_994)}"\n`, 1, 0],
    ["no tokens", "___", 0, 1],
    ["comments only", "# a\n\n# b", 0, 1],
    ["white space only", " \n\t\n", 0, 1],
    ["nothing but a magic", "%matplotlib inline", 1, 0],
  ])("decides about a cell of %s", async (_, code, cells, skipped) => {
    const { ingest, store } = openIngest();
    expect(await ingest([notebook("a.ipynb", code, READ)])).toMatchObject([{ cells: cells + 1, skipped }]);
    expect((await store.counts()).cells).toBe(cells + 1);
  });

  it("stores cells that cannot be parsed", async () => {
    const { ingest } = openIngest();
    const odd = ["print 'a'", "df.gro", ")1(f = x", "a\0\ud800", "%%bash\nls", "%%R\nx <- 1", "f'{", "數據 = 1"];
    expect(await ingest([notebook("odd.ipynb", ...odd)])).toMatchObject([{ cells: 8, new: 8, skipped: 0 }]);
  });
});

describe("ingest, again", () => {
  it("changes nothing if the content is the same", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", READ, "", FIT)]);
    const before = await store.notebook(notebookId("a.ipynb"));
    const [report] = await ingest([notebook("a.ipynb", `${READ}\n`, "", FIT)]);
    expect(report).toMatchObject({ cells: 2, new: 0, duplicate: 2, skipped: 1, replaced: false, unchanged: true });
    expect(await store.notebook(notebookId("a.ipynb"))).toEqual(before);
  });

  it("does not write if nothing changed", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", READ)]);
    const readOnly: VectorStore = { ...store, write: () => Promise.reject(new Error("was written")) };
    const [report] = await openIngest(readOnly).ingest([notebook("a.ipynb", READ)]);
    expect(report).toMatchObject({ unchanged: true });
  });

  it("does not embed stored cells", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", READ)]);
    const embedded: string[] = [];
    const watched: Embedder = {
      ...embedder,
      embed: (texts, role) => {
        embedded.push(...texts);
        return embedder.embed(texts, role);
      },
    };
    await openIngest(store, watched).ingest([notebook("b.ipynb", READ, FIT, FIT), notebook("c.ipynb", FIT)]);
    expect(embedded).toEqual([FIT]);
  });

  it("replaces the notebook of the same name, and removes cells that only the old one had", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", READ, FIT), notebook("b.ipynb", READ)]);
    const [report] = await ingest([notebook("a.ipynb", PLOT)]);
    expect(report).toMatchObject({ cells: 1, new: 1, duplicate: 0, replaced: true, unchanged: false });
    expect(await totals(store)).toEqual({ cells: 2, notebooks: 2, occurrences: 2 });
    expect(await store.cells([READ, FIT, PLOT].map(cellId))).toMatchObject([{ code: READ }, { code: PLOT }]);
  });

  it("replaces a notebook whose cells only moved", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", READ, FIT)]);
    expect(await ingest([notebook("a.ipynb", FIT, READ)])).toMatchObject([{ new: 0, duplicate: 2, replaced: true }]);
    expect((await store.notebook(notebookId("a.ipynb")))?.cells.map(({ id }) => id)).toEqual([FIT, READ].map(cellId));
  });

  it("lets a cell move from one notebook of a batch to another", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", READ), notebook("b.ipynb", FIT)]);
    await ingest([notebook("a.ipynb", FIT), notebook("b.ipynb", READ)]);
    expect(await totals(store)).toEqual({ cells: 2, notebooks: 2, occurrences: 2 });
    expect(await store.occurrences(cellId(READ), { limit: 1_000 })).toMatchObject([{ name: "b.ipynb", cellIndex: 0 }]);
  });

  it("takes the last of two notebooks with the same name", async () => {
    const { ingest, store } = openIngest();
    const reports = await ingest([notebook("a.ipynb", READ), notebook("b.ipynb", PLOT), notebook("a.ipynb", FIT)]);
    expect(reports.map(({ name, new: added }) => [name, added])).toEqual([
      ["a.ipynb", 1],
      ["b.ipynb", 1],
    ]);
    expect(await store.cells([READ, FIT, PLOT].map(cellId))).toMatchObject([{ code: FIT }, { code: PLOT }]);
  });
});

describe("ingest, failing", () => {
  const failure = new RecommenderError("DISK_FULL", "The disk is full.");

  it("stores nothing of a batch that cannot be written", async () => {
    const { ingest, store } = openIngest();
    await ingest([notebook("a.ipynb", READ)]);
    const failing: VectorStore = { ...store, write: () => Promise.reject(failure) };
    const batch = [notebook("a.ipynb", PLOT), notebook("b.ipynb", FIT)];
    await expect(openIngest(failing).ingest(batch)).rejects.toBe(failure);
    expect(await totals(store)).toEqual({ cells: 1, notebooks: 1, occurrences: 1 });
    expect(await ingest(batch)).toMatchObject([
      { new: 1, replaced: true },
      { new: 1, replaced: false },
    ]);
  });

  it("stores nothing if the embedder fails", async () => {
    const { store } = openIngest();
    const failing: Embedder = { ...embedder, embed: () => Promise.reject(failure) };
    await expect(openIngest(store, failing).ingest([notebook("a.ipynb", READ)])).rejects.toBe(failure);
    expect(await totals(store)).toEqual({ cells: 0, notebooks: 0, occurrences: 0 });
  });
});
