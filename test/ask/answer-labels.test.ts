import { describe, expect, it } from "vitest";
import { labelCells } from "../../src/ask/answer-labels.js";
import { createLabeller } from "../../src/label/create-labeller.js";
import { loadGrammar } from "../../src/python/grammar.js";

const cellsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index, code: `df${index} = pd.read_csv("${index}.csv")` }));

describe("labelCells", () => {
  it("yields to other work while it labels many cells", async () => {
    await loadGrammar();
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const cells = cellsOf(3_000);
    const labelled = await labelCells(createLabeller(), { cells, isNotebook: true, partial: false });
    isOver = true;
    expect(labelled.map(({ index, primary }) => [index, primary])).toEqual(
      cells.map(({ index }) => [index, "ingest_data"]),
    );
    expect(turns).toBeGreaterThan(3);
  });

  it("stops when the signal is aborted", async () => {
    await loadGrammar();
    const work = labelCells(
      createLabeller(),
      { cells: cellsOf(3_000), isNotebook: false, partial: true },
      AbortSignal.abort(new Error("gone")),
    );
    await expect(work).rejects.toThrow("gone");
  });
});
