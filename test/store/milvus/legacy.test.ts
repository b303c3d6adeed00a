import { afterAll, describe, expect, it } from "vitest";
import { notebookId } from "../../../src/notebook/extract.js";
import { cell, expectSoon, IDENTITY, ids, notebook, put, sha, stored } from "../contract/fixtures.js";
import { partsThatBreak } from "./parts.js";
import { ADDRESS, collectionsOf, hasMilvus, newPlace, useClient } from "./server.js";

const [A, B] = [cell("a = load()", [1, 0, 0, 0], ["load"]), cell("plot(b)", [0, 1, 0, 0], ["plot"])];
const text = (name: string, rest = {}) => ({ name, data_type: "VarChar", max_length: 1024, ...rest });
const number = (name: string) => ({ name, data_type: "Int32" });

describe.runIf(await hasMilvus())("an index that does not know votes", () => {
  const place = newPlace();
  afterAll(() => place.drop());

  it("is refused with the command that converts it, and converted by that", { timeout: 120_000 }, async () => {
    const made = place.open(IDENTITY);
    const one = notebook("one.ipynb", [A!]);
    const voted = { ...one, notebook: { ...one.notebook, facts: { votes: 7 } } };
    await put(made, [voted]);
    await made.close();
    const { connection, generations } = partsThatBreak(place, Number.POSITIVE_INFINITY);
    await generations.publish({ ...(await generations.find())!, votes: false });
    await connection.close();
    const store = place.open(IDENTITY);
    await expect(store.open()).rejects.toMatchObject({ code: "INDEX_MISMATCH" });
    await store.rewrite(async (cells) => cells.map(({ labels, primary }) => ({ labels, primary, vector: A!.vector })));
    const search = { vector: A!.vector, k: 5, strong: true };
    expect(ids(await store.search({ ...search, notebooks: { minVotes: 7 } }))).toEqual([A!.id]);
    expect(await store.search({ ...search, notebooks: { minVotes: 8 } })).toEqual([]);
    await store.close();
  });
});

describe.runIf(await hasMilvus())("an index of version 0.1", () => {
  const place = newPlace();
  const alias = `${place.prefix}_cells`;
  afterAll(() => place.drop());

  it("is refused with the command that converts it, and converted by that", async () => {
    await makeLegacy();
    const store = place.open(IDENTITY);
    const refused = {
      code: "INDEX_MISMATCH",
      message: `The index ${place.prefix} in Milvus at ${ADDRESS} was made by an older version. Convert it: celrec reembed`,
    };
    await expect(store.open()).rejects.toMatchObject(refused);
    await expect(store.search({ vector: A!.vector, k: 1 })).rejects.toMatchObject(refused);

    await store.rewrite(async (cells) =>
      cells.map(({ id, labels, primary }) => ({ labels, primary, vector: id === A!.id ? A!.vector : B!.vector })),
    );
    // Notebooks are known by source and name now.
    const id = notebookId("one.ipynb");
    const cells = [A!, B!].map((each, at) => ({ cellIndex: 2 * at, id: each.id }));
    const version = sha("v1");
    const converted = { id, source: "upload", name: "one.ipynb", version, skipped: 1, cells, facts: {} };
    expect(await store.notebook(id)).toEqual(converted);
    expect(await store.versions([id])).toEqual(new Map([[id, version]]));
    expect(await store.cells(ids([A!, B!]))).toEqual([A!, B!].map(stored));
    expect(ids(await store.search({ vector: A!.vector, k: 5, strong: true }))).toEqual(ids([A!, B!]));
    const labels = { load: 1, plot: 1, train: 0 };
    await expectSoon(store, store.counts, { cells: 2, notebooks: 1, occurrences: 2, labels });
    await store.close();
    expect(await collectionsOf(place.prefix)).toEqual(["cells", "journal", "occurrences"]);
    await place.open(IDENTITY).open();
  });

  /** Two collections and an alias, as that version left them. */
  function makeLegacy() {
    return useClient(ADDRESS, async (client) => {
      const [cells, occurrences] = [`${alias}_old`, `${place.prefix}_occurrences_old`];
      const about = JSON.stringify({ celrec: 1, identity: IDENTITY, exact: true, occurrences });
      const make = async (name: string, fields: object[], vector: string, metric_type: string, data: object[]) => {
        const description = name === cells ? about : "celrec";
        await client.createCollection({ collection_name: name, description, fields: fields as never });
        await client.createIndex({ collection_name: name, field_name: vector, index_type: "FLAT", metric_type });
        await client.loadCollectionSync({ collection_name: name });
        await client.insert({ collection_name: name, data: data as never });
      };
      await make(
        cells,
        [
          text("id", { is_primary_key: true }),
          text("primary"),
          { name: "labels", data_type: "Array", element_type: "VarChar", max_capacity: 256, max_length: 256 },
          text("clean"),
          text("code"),
          { name: "vector", data_type: "FloatVector", dim: 4 },
        ],
        "vector",
        "COSINE",
        [A!, B!].map((each) => ({ ...stored(each), labels: [...each.labels], vector: Array.from(each.vector) })),
      );
      const shared = {
        notebook: sha("one.ipynb"),
        name: "one.ipynb",
        version: sha("v1"),
        complete: true,
        anchor: [0, 0],
      };
      await make(
        occurrences,
        [
          text("id", { is_primary_key: true }),
          ...["notebook", "name", "version", "cell_id"].map((name) => text(name)),
          ...["cell_index", "skipped", "cells"].map(number),
          { name: "complete", data_type: "Bool" },
          { name: "anchor", data_type: "FloatVector", dim: 2 },
        ],
        "anchor",
        "L2",
        [
          { ...shared, id: `${sha("one.ipynb")}/`, cell_index: -1, cell_id: "", skipped: 1, cells: 2 },
          ...[A!, B!].map((each, at) => {
            const id = `${sha("one.ipynb")}/${sha("v1")}/${2 * at}`;
            return { ...shared, id, cell_index: 2 * at, cell_id: each.id, skipped: 0, cells: 0 };
          }),
        ],
      );
      await client.createAlias({ alias, collection_name: cells });
    });
  }
});
