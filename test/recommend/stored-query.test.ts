import { describe, expect, it } from "vitest";
import { notebookId } from "../../src/notebook/extract.js";
import { readStoredQuery } from "../../src/recommend/stored-query.js";
import { fill } from "./filled-store.js";

const CELLS = Array.from({ length: 8 }, (_, at) => `value_${at} = f(${at})`);

describe("readStoredQuery", () => {
  it("reads the cell, the five before it in their order, and excludes the cell's own occurrence", async () => {
    const { store } = await fill({ a: CELLS });
    const notebook = notebookId("a");
    expect(await readStoredQuery(store, notebook, 7)).toEqual({
      code: CELLS[7],
      context: { before: CELLS.slice(2, 7) },
      exclude: { occurrence: { notebook, cellIndex: 7 } },
    });
    expect((await readStoredQuery(store, notebook, 1)).context).toEqual({ before: [CELLS[0]] });
  });

  it("reports missing files", async () => {
    const { store } = await fill({ a: ["x = 1", "# nothing", "y = 2"] });
    await expect(readStoredQuery(store, "none", 0)).rejects.toThrow("There is no notebook none in the index.");
    await expect(readStoredQuery(store, notebookId("a"), 1)).rejects.toThrow(
      "a has no stored cell at 1; it has them at 0, 2.",
    );
  });
});
