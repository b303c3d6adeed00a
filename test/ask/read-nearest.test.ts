import { describe, expect, it } from "vitest";
import { endOfCode, nearestCells } from "../../src/ask/limits.js";

describe("the end of a cell", () => {
  it("is the whole cell if it fits the limit", () => {
    expect(endOfCode("a = 1\nb = 2", 11)).toBe("a = 1\nb = 2");
  });

  it("starts with a whole line", () => {
    expect(endOfCode("a = 1\nb = 2\nc = 3", 11)).toBe("c = 3");
    expect(endOfCode("a = 1\nb = 2\nc = 3", 12)).toBe("b = 2\nc = 3");
  });

  it("starts between two characters if the cell has only one line", () => {
    expect(endOfCode("x = 'ééé'", 6)).toBe("éé'");
  });
});

describe("the nearest cells", () => {
  it("are the last cells that fit the limit", () => {
    expect(nearestCells(["aaa", "bbb", "ccc"], 6)).toEqual(["bbb", "ccc"]);
    expect(nearestCells(["aaa", "bbb", "ccc"], 9)).toEqual(["aaa", "bbb", "ccc"]);
    expect(nearestCells([], 6)).toEqual([]);
  });

  it("are the end of the last cell if that cell alone is too long", () => {
    expect(nearestCells(["aaa", "b\ncc"], 3)).toEqual(["cc"]);
  });
});
