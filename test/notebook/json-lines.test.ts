import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { parseJsonLines, readJsonLines } from "../../src/notebook/json-text.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-lines-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("parseJsonLines", () => {
  it("numbers the lines of the file, skips blank ones and a byte order mark, and continues after a bad one", () => {
    const lines = [...parseJsonLines('\uFEFF{"a":1}\r\n\n  \n{"a"\n[2]')];
    expect(lines).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 4, fault: expect.any(String) },
      { line: 5, value: [2] },
    ]);
    expect([...parseJsonLines("")]).toEqual([]);
  });
});

describe("readJsonLines", () => {
  const read = (text: string) => {
    const file = join(folder, "a.jsonl");
    writeFileSync(file, text);
    return readJsonLines(file, "cases", z.object({ a: z.number() }));
  };

  it("returns every line as parsed by the schema", () => {
    expect(read('{"a": 1, "b": 2}\n\n{"a": 3}')).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 3, value: { a: 3 } },
    ]);
  });

  it.each([
    ["{", /a\.jsonl, line 1 is not JSON: /],
    ['{"a": 1}\n{"a": "x"}', /a\.jsonl, line 2: a: /],
    ["7", /a\.jsonl, line 1: Invalid/],
  ])("names the line of %j", (text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "INPUT_INVALID" }));
    expect(() => read(text)).toThrow(message);
  });

  it("reports unreadable files", () => {
    expect(() => readJsonLines(join(folder, "none"), "cases", z.unknown())).toThrow(
      expect.objectContaining({
        code: "NOT_FOUND",
        message: expect.stringMatching(/^The cases .*none cannot be read/),
      }),
    );
  });
});
