import { describe, expect, it } from "vitest";
import { readCode, readContent } from "../../src/ingest/read-content.js";
import { MAX_CELL_BYTES } from "../../src/notebook/extract.js";
import { notebook } from "./fixtures.js";

const { notebook: three } = notebook("a", "aa", "bbb", "md:text", "c");

describe("readCode", () => {
  it("accepts cells and code up to the limits", () => {
    const reasonOf = (limits: { cells?: number; code?: number }) => {
      const read = readCode(three, limits);
      return "rejected" in read ? read.rejected : read.code.cells.map(({ code }) => code);
    };
    expect(reasonOf({ cells: 3, code: 6 })).toEqual(["aa", "bbb", "c"]);
    expect(reasonOf({ cells: 2 })).toEqual({ kind: "too-large", reason: "3 code cells, over the limit of 2" });
    expect(reasonOf({ code: 5 })).toEqual({ kind: "too-large", reason: "6 characters of code, over the limit of 5" });
  });

  it("takes up to 5,000 cells and 25 MB of code by default", () => {
    const many = (count: number, code: string) => readCode(notebook("a", ...Array<string>(count).fill(code)).notebook);
    expect("code" in many(5_000, "x")).toBe(true);
    expect(many(5_001, "x")).toEqual({
      rejected: { kind: "too-large", reason: "5,001 code cells, over the limit of 5,000" },
    });
    const half = "x".repeat(52_428);
    expect("code" in many(500, half)).toBe(true);
    expect(many(501, half)).toEqual({
      rejected: { kind: "too-large", reason: "26,266,428 characters of code, over the limit of 26,214,400" },
    });
  });

  it("keeps only the start of a cell that is too long, and the version of the whole", () => {
    const read = (code: string) => {
      const result = readCode(notebook("a", code).notebook);
      if ("rejected" in result) throw new Error(result.rejected.reason);
      return result.code;
    };
    const [short, long] = [read("x".repeat(MAX_CELL_BYTES)), read("x".repeat(MAX_CELL_BYTES + 7))];
    expect([short.cells[0]!.code.length, long.cells[0]!.code.length]).toEqual([MAX_CELL_BYTES, MAX_CELL_BYTES + 1]);
    expect(read(`${"x".repeat(MAX_CELL_BYTES + 6)}y`).version).not.toBe(long.version);
  });
});

describe("readContent", () => {
  it("rejects a script that is longer than the code may be", () => {
    const bytes = Buffer.from("# %%\nx = 1\n");
    expect(readContent({ format: "script", bytes })).toMatchObject({ code: { cells: [{ code: "x = 1" }] } });
    expect(readContent({ format: "script", bytes }, { code: 4 })).toMatchObject({ rejected: { kind: "too-large" } });
    expect(readContent({ format: "script", bytes }, { cells: 0 })).toMatchObject({ rejected: { kind: "too-large" } });
  });

  it("explains why the bytes are not a notebook", () => {
    expect(readContent({ format: "ipynb", bytes: Buffer.from("") })).toEqual({
      rejected: { kind: "not-json", reason: "the file is empty" },
    });
  });
});
