import { describe, expect, it } from "vitest";
import { findCellsAbove } from "../../src/recommend/cells-above.js";
import { fill } from "./filled-store.js";

const CELLS = [
  "import pandas as pd",
  "test_size = .2",
  "frame = pd.read_csv('a.csv')",
  "frame.head()",
  `values = [${"1, ".repeat(2_500)}]`,
  "frame.fillna(0)",
];

describe("findCellsAbove", () => {
  it("reads the cells above that can have one of the names, each of them once", async () => {
    const { store } = await fill({ "a.ipynb": CELLS });
    const [notebook] = await store.notebooks({ limit: 1 });
    const read: number[] = [];
    const counted = {
      ...store,
      cells: (ids: readonly string[]) => {
        read.push(ids.length);
        return store.cells(ids);
      },
    };
    const at = { notebook: notebook!.id, source: "", name: "", cellIndex: 5, facts: {} };
    const above = await findCellsAbove(counted, at);
    // A profile that does not cover the end of its cell cannot exclude a name.
    const long = CELLS[4];
    expect(await above.withAny(new Set(["test_size"]))).toEqual([CELLS[1], long]);
    expect(await above.withAny(new Set(["test_size", "pd"]))).toEqual([CELLS[0], CELLS[1], CELLS[2], long]);
    expect(await above.withAny(new Set(["nowhere"]))).toEqual([CELLS[0], CELLS[1], CELLS[2], long]);
    expect(read).toEqual([2, 2]);
  });
});
