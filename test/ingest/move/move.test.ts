import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createIngest } from "../../../src/ingest/ingest.js";
import { exportIndex, notebooksFile } from "../../../src/ingest/move/export-index.js";
import { importIndex } from "../../../src/ingest/move/import-index.js";
import { createTable, openTable } from "../../../src/ingest/move/parquet.js";
import type { VectorStore } from "../../../src/store/vector-store.js";
import { embedder, labeller, notebook, useStores } from "../fixtures.js";

const { newFolder, newStore } = useStores();
const identity = {
  embedder: embedder.id,
  dimensions: embedder.dimensions,
  labeller: labeller.id,
  labels: labeller.labels,
};

async function fill(): Promise<VectorStore> {
  const store = newStore();
  const many = Array.from({ length: 250 }, (_, at) =>
    notebook(
      `${at}.ipynb`,
      `x_${at} = pd.read_csv("a${at}.csv")`,
      "import pandas as pd",
      "# no",
      `print("é\0${at % 9}")`,
    ),
  );
  const known = { ...notebook("k.ipynb", "model.fit(X, y)"), source: "team", facts: { author: "ann", votes: 3 } };
  await createIngest({ embedder, labeller, store })([...many, known, notebook("empty.ipynb")]);
  return store;
}

async function everything(store: VectorStore) {
  const notebooks = await Promise.all((await store.notebooks({ limit: 999 })).map(({ id }) => store.notebook(id)));
  const ids = [...new Set(notebooks.flatMap((each) => each!.cells.map(({ id }) => id)))].sort();
  return { notebooks, cells: await store.cells(ids), vectors: await store.vectors(ids), counts: await store.counts() };
}

describe("export and import", () => {
  it("copy an index to another store unchanged, and a second time without effect", async () => {
    const [store, other] = [await fill(), newStore()];
    const file = join(newFolder(), "cells.parquet");
    expect(await exportIndex(store, identity, file)).toEqual({ notebooks: 252, cells: 261 });
    expect(await importIndex(other, identity, file)).toEqual({ notebooks: 252, cells: 261 });
    expect(await everything(other)).toEqual(await everything(store));
    await importIndex(other, identity, file);
    expect(await everything(other)).toEqual(await everything(store));
    const [vector] = await embedder.embed(["import pandas as pd"], "query");
    const query = { vector: vector!, k: 9 };
    expect(await other.search(query)).toEqual(await store.search(query));
  });

  it("show the origin of a cell, and the embedder of the vectors", async () => {
    const file = join(newFolder(), "cells.parquet");
    const store = await fill();
    await exportIndex(store, identity, file);
    const { rows, notes, read } = await openTable(file);
    expect([rows, notes.get("celrec.embedder"), notes.get("celrec.dimensions")]).toEqual([261, embedder.id, "512"]);
    const all = await read(0, rows);
    expect(all.find(({ code }) => code === "model.fit(X, y)")).toMatchObject({
      labels: "train_model",
      primary: "train_model",
      occurrences: 1,
      source: "team",
      name: "k.ipynb",
      cell_index: 0,
      author: "ann",
      votes: 3,
      location: null,
    });
    expect(all.find(({ code }) => code === "import pandas as pd")).toMatchObject({ occurrences: 250, name: "0.ipynb" });
  });

  it("refuse two files that are not of one export, and add nothing of them", async () => {
    const [file, younger] = [join(newFolder(), "cells.parquet"), join(newFolder(), "cells.parquet")];
    const store = newStore();
    const ingest = createIngest({ embedder, labeller, store });
    await ingest([notebook("a.ipynb", "a = 1")]);
    await exportIndex(store, identity, file);
    await ingest([notebook("a.ipynb", "a = 2")]);
    await exportIndex(store, identity, younger);
    copyFileSync(notebooksFile(younger), notebooksFile(file));
    const other = newStore();
    await expect(importIndex(other, identity, file)).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringMatching(
        / names the cell [0-9a-f]{64}, .* the two files are from different exports\. Export the index again\.$/,
      ),
    });
    expect(await other.counts()).toMatchObject({ notebooks: 0, cells: 0 });
  });

  it("reject data that does not match, and leave no partial file", async () => {
    const file = join(newFolder(), "cells.parquet");
    const store = await fill();
    await exportIndex(store, identity, file);
    const other = { ...identity, embedder: "another" };
    await expect(importIndex(newStore(), other, file)).rejects.toMatchObject({
      code: "INDEX_MISMATCH",
      message: `${file} was exported with embedder ${embedder.id}, not another; set CELREC_EMBEDDER and CELREC_LABELS as they were when it was exported.`,
    });
    await expect(importIndex(newStore(), identity, `${file}x`)).rejects.toMatchObject({ code: "NOT_FOUND" });
    writeFileSync(`${file}y`, "no parquet");
    await expect(importIndex(newStore(), identity, `${file}y`)).rejects.toMatchObject({ code: "INPUT_INVALID" });
    const damaged = join(newFolder(), "damaged.parquet");
    writeFileSync(damaged, readFileSync(file).fill(0xff, 100, 5_000));
    copyFileSync(notebooksFile(file), notebooksFile(damaged));
    await expect(importIndex(newStore(), identity, damaged)).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringContaining(`${damaged} cannot be read: `),
    });
    const foreign = join(newFolder(), "foreign.parquet");
    for (const name of [foreign, notebooksFile(foreign)]) {
      const table = createTable(name, { id: { type: "STRING" } }, {});
      await table.write([{ id: "x" }]);
      await table.finish();
    }
    await expect(importIndex(newStore(), identity, foreign)).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: `${foreign} is not an export of this version; \`celrec export\` writes one.`,
    });
    const stopped = join(newFolder(), "stopped.parquet");
    await expect(exportIndex(store, identity, stopped, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect([stopped, `${stopped}.part`, notebooksFile(stopped)].map((name) => existsSync(name))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
