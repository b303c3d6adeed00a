import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cellId,
  extractCells,
  isOverlong,
  normalizeSource,
  notebookId,
  notebookVersion,
  sourceId,
} from "../../src/notebook/extract.js";
import type { NotebookCell } from "../../src/notebook/notebook.js";

const sha256 = (text: string) => createHash("sha256").update(Buffer.from(text, "utf8")).digest("hex");
const cell = (index: number, source: string, type: NotebookCell["type"] = "code"): NotebookCell => ({
  index,
  type,
  source,
});

describe("normalizeSource", () => {
  it.each<[string, string, string]>([
    ["CRLF as LF", "a\r\nb", "a\nb"],
    ["CR as LF", "a\rb", "a\nb"],
    ["CR, CRLF and LF together", "\r\r\n\n\ra", "\n\n\n\na"],
    ["a trailing LF as nothing", "a\n", "a"],
    ["several trailing LFs as nothing", "a\n\n\r\n\r\n", "a"],
    ["a trailing CRLF as nothing", "a\r\n", "a"],
    ["a trailing CR as nothing", "a\r", "a"],
    ["lone surrogates as U+FFFD", "\ud800a\udc00", "\ufffda\ufffd"],
    ["pairs of surrogates as they are", "\ud83d\ude00", "\ud83d\ude00"],
    ["blanks as they are", "  a  \n ", "  a  \n "],
    ["nothing as nothing", "", ""],
    ["line ends alone as nothing", "\n\r\n", ""],
  ])("takes %s", (_, source, code) => {
    expect(normalizeSource(source)).toBe(code);
  });

  it("changes nothing the second time", () => {
    const part = fc.constantFrom("a", " ", "\n", "\r", "\r\n", "\ud800", "\udc00", "\0", "\u2028");
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const once = normalizeSource(parts.join(""));
        expect(normalizeSource(once)).toBe(once);
      }),
    );
  });
});

describe("cellId", () => {
  it("is the hex sha-256 of the normalised source in UTF-8", () => {
    expect(cellId("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(cellId("a")).toBe("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    expect(cellId("é = '😀'\r\n")).toBe(sha256("é = '😀'"));
  });

  it("is the same for every way to end lines", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        const lines = words.map((word) => word.replace(/[\r\n]/g, ""));
        const id = cellId(lines.join("\n"));
        return ["\r\n", "\r"].every((end) => cellId(lines.join(end)) === id);
      }),
    );
  });

  it("differs if the code differs", () => {
    const codes = ["a", "a ", " a", "\na", "A", "a\ufffd", "a\0"];
    expect(new Set(codes.map(cellId)).size).toBe(codes.length);
  });
});

describe("extractCells", () => {
  it("keeps the code cells with their index among all cells, empty ones too", () => {
    const cells = [cell(0, "# Title", "markdown"), cell(1, "a\r\n"), cell(2, "x", "other"), cell(3, ""), cell(4, "a")];
    expect(extractCells({ cells })).toEqual([
      { id: sha256("a"), cellIndex: 1, code: "a" },
      { id: sha256(""), cellIndex: 3, code: "" },
      { id: sha256("a"), cellIndex: 4, code: "a" },
    ]);
  });
});

describe("notebookId", () => {
  it("is the hex sha-256 of the source and the path", () => {
    expect(notebookId("a/b.ipynb")).toBe(sha256("upload\na/b.ipynb"));
    expect(notebookId("ü.ipynb", "/data")).toBe(sha256("/data\nü.ipynb"));
    expect(notebookId("\ud800")).toBe(sha256("upload\n\ufffd"));
  });
});

describe("notebookVersion", () => {
  const version = (...cells: NotebookCell[]) => notebookVersion(extractCells({ cells }));
  const base = version(cell(0, "a"), cell(1, "text", "markdown"), cell(2, "b"));

  it.each<[string, NotebookCell[]]>([
    ["the text of a Markdown cell", [cell(0, "a"), cell(1, "other text", "markdown"), cell(2, "b")]],
    ["a Markdown cell at the end", [cell(0, "a"), cell(1, "text", "markdown"), cell(2, "b"), cell(3, "", "markdown")]],
    ["the type of a cell that is no code", [cell(0, "a"), cell(1, "text", "other"), cell(2, "b")]],
    ["line ends", [cell(0, "a\r\n"), cell(1, "text", "markdown"), cell(2, "b\n")]],
  ])("stays the same if only this differs: %s", (_, cells) => {
    expect(version(...cells)).toBe(base);
  });

  it.each<[string, NotebookCell[]]>([
    ["has other code", [cell(0, "a"), cell(1, "text", "markdown"), cell(2, "B")]],
    ["was added", [cell(0, "a"), cell(1, "text", "markdown"), cell(2, "b"), cell(3, "")]],
    ["was removed", [cell(0, "a"), cell(1, "text", "markdown")]],
    ["moved", [cell(0, "a"), cell(1, "b")]],
    ["changed places with another", [cell(0, "b"), cell(1, "text", "markdown"), cell(2, "a")]],
    ["became Markdown", [cell(0, "a"), cell(1, "text", "markdown"), cell(2, "b", "markdown")]],
  ])("differs if a code cell %s", (_, cells) => {
    expect(version(...cells)).not.toBe(base);
  });

  it("is the hash of nothing for a notebook without code", () => {
    expect(version(cell(0, "text", "markdown"))).toBe(sha256(""));
  });
});

describe("isOverlong", () => {
  it.each<[string, string, boolean]>([
    ["nothing", "", false],
    ["60,000 letters", "a".repeat(60_000), false],
    ["60,001 letters", "a".repeat(60_001), true],
    ["30,000 letters of two bytes", "\u00e9".repeat(30_000), false],
    ["30,001 letters of two bytes", "\u00e9".repeat(30_001), true],
  ])("allows up to 60,000 bytes: %s", (_, code, expected) => {
    expect(isOverlong(code)).toBe(expected);
  });
});

it("gives every source name a stable id", () => {
  expect(sourceId("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(sourceId("\ud800")).toBe(sourceId("\ufffd"));
});
