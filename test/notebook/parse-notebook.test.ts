import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ParsedNotebook } from "../../src/notebook/notebook.js";
import { foreignLanguage, parseNotebook, readNotebook } from "../../src/notebook/parse-notebook.js";

/** Any UTF-16 code unit, so that lone surrogates and control characters occur. */
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const read = (document: unknown) => parseNotebook(JSON.stringify(document));
const code = (source: unknown) => ({ cell_type: "code", source });
const sources = (parsed: ParsedNotebook) =>
  "notebook" in parsed ? parsed.notebook.cells.map(({ type, source }) => `${type}: ${source}`) : parsed.rejected.kind;

describe("parseNotebook, files that are often mistaken for notebooks", () => {
  it.each([
    ["version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", /Git LFS pointer.*git lfs pull/],
    ['{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n]}', /merge conflict markers/],
    ["\n<!DOCTYPE html><html></html>", /^not JSON: an HTML page$/],
    ["a,b\n1,2\n", /^not JSON: /],
  ])("is named: %j", (text, reason) => {
    expect(parseNotebook(text)).toMatchObject({
      rejected: { kind: "not-json", reason: expect.stringMatching(reason) },
    });
  });
});

describe("parseNotebook, the formats", () => {
  it("reads the cells of nbformat 4 in order, counted from 0 over all cells", () => {
    const parsed = read({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { kernelspec: { name: "python3", language: "python" }, language_info: { name: "python" } },
      cells: [
        { cell_type: "markdown", id: "a", metadata: {}, source: ["# Title\n", "text"] },
        { cell_type: "code", id: "b", metadata: {}, outputs: [], execution_count: 1, source: ["a = 1\n", "a"] },
        { cell_type: "raw", id: "c", metadata: {}, source: "raw" },
        { cell_type: "code", id: "d", metadata: {}, outputs: [], execution_count: null, source: "b" },
      ],
    });
    expect(parsed).toEqual({
      notebook: {
        cells: [
          { index: 0, type: "markdown", source: "# Title\ntext" },
          { index: 1, type: "code", source: "a = 1\na" },
          { index: 2, type: "other", source: "raw" },
          { index: 3, type: "code", source: "b" },
        ],
      },
    });
  });

  it.each([2, 3])("reads the worksheets of nbformat %i one after another", (nbformat) => {
    const parsed = read({
      nbformat,
      metadata: { name: "old" },
      worksheets: [
        {
          cells: [
            { cell_type: "heading", level: 1, source: ["Title"] },
            { cell_type: "code", language: "python", input: ["a = 1\n", "a"], outputs: [] },
          ],
        },
        { cells: [{ cell_type: "code", language: "python", input: "b", outputs: [] }] },
      ],
    });
    expect(parsed).toEqual({
      notebook: {
        cells: [
          { index: 0, type: "markdown", source: "Title" },
          { index: 1, type: "code", source: "a = 1\na" },
          { index: 2, type: "code", source: "b" },
        ],
      },
    });
  });

  it.each<[string, unknown, string[]]>([
    ["a source that is null", { cells: [code(null)] }, ["code: "]],
    ["a source that is missing", { cells: [{ cell_type: "code" }] }, ["code: "]],
    ["a source that is a number", { cells: [code(7)] }, ["code: "]],
    ["a list with a number in it", { cells: [code(["a\n", 7, null, "b"])] }, ["code: a\nb"]],
    ["no metadata, no nbformat, no ids", { cells: [code("a")] }, ["code: a"]],
    ["metadata that is a list", { cells: [code("a")], metadata: [] }, ["code: a"]],
    ["a kernelspec that is null", { cells: [code("a")], metadata: { kernelspec: null } }, ["code: a"]],
    [
      "cells that are no objects",
      { cells: [null, 1, "x", [], code("a")] },
      ["other: ", "other: ", "other: ", "other: ", "code: a"],
    ],
    ["a cell type that is a number", { cells: [{ cell_type: 1, source: "a" }] }, ["other: a"]],
    ["a cell of nbformat 3 without a type", { worksheets: [{ cells: [{ input: "a" }] }] }, ["code: a"]],
    [
      "a cell of nbformat 3 in another language",
      { worksheets: [{ cells: [{ cell_type: "code", language: "R", input: "a" }] }] },
      ["other: a"],
    ],
    ["worksheets that are no objects", { worksheets: [null, 3, { cells: "x" }, { cells: [code("a")] }] }, ["code: a"]],
    ["nothing but a version", { nbformat: 4 }, []],
    ["an empty list of cells", { cells: [] }, []],
  ])("accepts %s", (_, document, expected) => {
    expect(sources(read(document))).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ["an empty file", "", "not-json"],
    ["white space", " \n\t", "not-json"],
    ["a byte order mark alone", "\uFEFF", "not-json"],
    ["a web page", "<!DOCTYPE html><html></html>", "not-json"],
    ["half a notebook", '{"nbformat": 4, "cells": [{"cell_type": "co', "not-json"],
    ["NUL bytes", "\0".repeat(100), "not-json"],
    ["a list", "[]", "not-a-notebook"],
    ["null", "null", "not-a-notebook"],
    ["a string", '"cells"', "not-a-notebook"],
    ["an object of something else", '{"name": "celrec"}', "not-a-notebook"],
    ["cells that are no list", '{"cells": {"0": {}}}', "not-a-notebook"],
    ["a version that is no number", '{"nbformat": "4"}', "not-a-notebook"],
    ["a notebook in R", '{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}', "not-python"],
  ])("rejects %s", (_, text, kind) => {
    const parsed = parseNotebook(text);
    expect("rejected" in parsed && parsed.rejected.kind).toBe(kind);
  });

  it("says why it rejects", () => {
    expect(parseNotebook(" ")).toEqual({ rejected: { kind: "not-json", reason: "the file is empty" } });
    expect(parseNotebook("[1]")).toEqual({
      rejected: { kind: "not-a-notebook", reason: "JSON, but not a notebook: the top is a list, not an object" },
    });
    expect(parseNotebook("{}")).toEqual({
      rejected: {
        kind: "not-a-notebook",
        reason: "JSON, but not a notebook: it has neither cells nor worksheets nor nbformat",
      },
    });
    expect(read({ cells: [], metadata: { language_info: { name: "julia" } } })).toEqual({
      rejected: { kind: "not-python", reason: "a notebook in julia, not Python" },
    });
  });
});

describe("parseNotebook, hostile input", () => {
  const tooDeep = {
    rejected: {
      kind: "not-a-notebook",
      reason: "it cannot be a notebook: it is nested more than 1,000 levels deep",
    },
  };
  const tooMany = {
    rejected: { kind: "not-a-notebook", reason: "it cannot be a notebook: it contains more than 5,000,000 values" },
  };

  it("rejects 100 MB of nested brackets without building them", () => {
    const before = process.memoryUsage().heapUsed;
    expect(parseNotebook("[".repeat(100_000_000))).toEqual(tooDeep);
    expect(parseNotebook('{"a":'.repeat(20_000_000))).toEqual(tooDeep);
    expect(parseNotebook(`{"cells": ${"[".repeat(50_000_000)}${"]".repeat(50_000_000)}}`)).toEqual(tooDeep);
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(1_000);
  });

  it("rejects a list of tens of millions of elements without building it", () => {
    expect(parseNotebook(`{"cells": [${"0,".repeat(30_000_000)}0]}`)).toEqual(tooMany);
    expect(parseNotebook(`{"cells": [{"source": [${'"",'.repeat(20_000_000)}""]}]}`)).toEqual(tooMany);
  });

  it("reads a list of a million lines", () => {
    const parsed = parseNotebook(`{"cells": [{"cell_type": "code", "source": [${'"a\\n",'.repeat(999_999)}"a\\n"]}]}`);
    expect(sources(parsed)).toEqual([`code: ${"a\n".repeat(1_000_000)}`]);
  });

  it("reads past a line of 30 MB of base64 in an output", () => {
    const output = { output_type: "display_data", data: { "image/png": "iVBORw0KGgo+/=".repeat(2_200_000) } };
    const parsed = read({ nbformat: 4, cells: [{ ...code("plot()"), outputs: [output] }, code("b")] });
    expect(sources(parsed)).toEqual(["code: plot()", "code: b"]);
  });

  it("counts neither brackets nor commas inside strings", () => {
    const text = `${"[".repeat(2_000)}${",".repeat(6_000_000)}\\"\\\\`;
    expect(sources(parseNotebook(`{"cells": [{"cell_type": "code", "source": "${text}"}]}`))).toEqual([
      `code: ${"[".repeat(2_000)}${",".repeat(6_000_000)}"\\`,
    ]);
  });

  it("reads deep nesting below the limit", () => {
    const deep = `${"[".repeat(900)}${"]".repeat(900)}`;
    const padding = `"${" ".repeat(1_100_000)}"`;
    expect(sources(parseNotebook(`{"metadata": {"a": ${deep}, "b": ${padding}}, "cells": []}`))).toEqual([]);
    const small = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(sources(parseNotebook(`{"metadata": ${small}, "cells": [${small}]}`))).toEqual(["other: "]);
  });

  it("ignores keys named __proto__ or constructor", () => {
    expect(sources(parseNotebook('{"__proto__": {"cells": []}}'))).toBe("not-a-notebook");
    expect(sources(parseNotebook('{"constructor": {"prototype": {"cells": []}}}'))).toBe("not-a-notebook");
    const cell = '{"__proto__": {"cell_type": "code", "source": "evil"}, "cell_type": "markdown", "source": "x"}';
    expect(sources(parseNotebook(`{"cells": [${cell}], "__proto__": {"polluted": true}}`))).toEqual(["markdown: x"]);
    expect("polluted" in {}).toBe(false);
  });

  it("keeps lone surrogates, NUL bytes and line separators of a source", () => {
    const parsed = parseNotebook('{"cells": [{"cell_type": "code", "source": "a\\ud800\\u0000\u2028b"}]}');
    expect(sources(parsed)).toEqual(["code: a\ud800\0\u2028b"]);
  });

  it("skips a byte order mark", () => {
    expect(sources(parseNotebook('\uFEFF{"cells": []}'))).toEqual([]);
  });

  it("keeps control characters and long quotations out of its reasons", () => {
    const parsed = parseNotebook(`{"a": \u0001${"\u0002x".repeat(500)}`);
    const reason = "rejected" in parsed ? parsed.rejected.reason : "";
    expect(reason).toMatch(/^not JSON: [^\0-\x1f]{1,160}$/);
  });
});

describe("parseNotebook, anything", () => {
  const sample = {
    nbformat: 4,
    nbformat_minor: 2,
    metadata: { kernelspec: { name: "python3", language: "python" }, language_info: { name: "python" } },
    worksheets: [{ cells: [{ cell_type: "code", language: "python", input: ["a"] }] }],
    cells: [
      { cell_type: "code", metadata: {}, source: ["a\n", "b"], outputs: [{ data: { "text/plain": "1" } }] },
      { cell_type: "markdown", metadata: {}, source: "text" },
    ],
  };
  const isResult = (parsed: ParsedNotebook) =>
    "notebook" in parsed
      ? parsed.notebook.cells.every(({ index, source }, at) => index === at && typeof source === "string")
      : ["not-json", "not-a-notebook", "not-python"].includes(parsed.rejected.kind) && parsed.rejected.reason !== "";

  it("gives a result for every JSON value", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => isResult(read(value)) && isResult(readNotebook(value))));
  });

  it("gives a result for every text", () => {
    fc.assert(fc.property(fc.string({ unit: codeUnit, maxLength: 200 }), (text) => isResult(parseNotebook(text))));
  });

  it("gives a result for a notebook with replaced values", () => {
    const places = listPlaces(sample);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...places), fc.jsonValue()), { maxLength: 4 }), (changes) =>
        isResult(
          read(changes.reduce((document, [place, value]) => replaceAt(document, place, value), sample as unknown)),
        ),
      ),
      { numRuns: 1_000 },
    );
  });

  it("returns a result for a notebook with damaged text", () => {
    const text = JSON.stringify(sample);
    const damage = fc.tuple(fc.nat(text.length), fc.nat(8), fc.string({ unit: codeUnit, maxLength: 4 }));
    fc.assert(
      fc.property(damage, ([at, removed, added]) =>
        isResult(parseNotebook(text.slice(0, at) + added + text.slice(at + removed))),
      ),
      { numRuns: 2_000 },
    );
  });
});

type Place = readonly (string | number)[];

function listPlaces(value: unknown, place: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [place];
  return [place, ...Object.entries(value).flatMap(([key, child]) => listPlaces(child, [...place, key]))];
}

function replaceAt(document: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof document !== "object" || document === null) return document;
  const child = replaceAt((document as Record<string, unknown>)[key], rest, value);
  return Array.isArray(document)
    ? document.map((item, at) => (at === Number(key) ? child : item))
    : { ...document, [key]: child };
}

describe("parseNotebook, absurd sizes", () => {
  it("reads fifty thousand cells and rejects more", () => {
    const parsed = (cells: number) => parseNotebook(`{"nbformat": 4, "cells": [${"{},".repeat(cells - 1)}{}]}`);
    expect(sources(parsed(50_000)).length).toBe(50_000);
    expect(parsed(50_001)).toEqual({
      rejected: { kind: "not-a-notebook", reason: "it cannot be a notebook: it contains more than 50,000 cells" },
    });
  });
});

describe("foreignLanguage", () => {
  it.each<[string, unknown]>([
    ["there is no metadata", undefined],
    ["the metadata is no object", "python"],
    ["the kernel's language is python", { kernelspec: { language: "python", name: "ir" } }],
    ["the kernel's language is Python 3", { kernelspec: { language: "Python 3" } }],
    [
      "the kernel's language is python and the editor's is plaintext",
      { kernelspec: { language: "python" }, language_info: { name: "plaintext" } },
    ],
    ["only the editor has a language, and it is plaintext", { language_info: { name: "plaintext" } }],
    ["the language is ipython", { language_info: { name: "ipython" } }],
    ["the language is sage", { kernelspec: { language: "sage" } }],
    ["the kernel has an unknown name", { kernelspec: { name: "conda-env-ml-py" } }],
    ["the environment's name starts like another kernel's", { kernelspec: { name: "iris" } }],
    ["the environment is called javaproject", { kernelspec: { name: "javaproject" } }],
    ["the environment is called rustic", { kernelspec: { name: "rustic" } }],
    ["the language is blank", { kernelspec: { language: " " }, language_info: { name: "" } }],
    ["the language is a number", { kernelspec: { language: 3, name: 4 }, language_info: { name: {} } }],
    ["the metadata's language is a natural language", { language: "en" }],
  ])("is null if %s", (_, metadata) => {
    expect(foreignLanguage(metadata)).toBe(null);
  });

  it.each<[string, string, unknown]>([
    ["the kernel's language", "R", { kernelspec: { language: "R", name: "python3" } }],
    [
      "the kernel's language if the editor's differs",
      "julia",
      { kernelspec: { language: "julia" }, language_info: { name: "python" } },
    ],
    ["the editor's language", "scala", { language_info: { name: "scala" }, kernelspec: { name: "x" } }],
    ["the kernel's name", "ir", { kernelspec: { name: "ir" } }],
    ["the kernel's name with a version", "julia-1.9", { kernelspec: { name: "julia-1.9" } }],
    ["the kernel's name with a number", "xcpp17", { kernelspec: { name: "xcpp17" } }],
    ["the kernel's name with a suffix", "spylon-kernel", { kernelspec: { name: "spylon-kernel" } }],
    ["the kernel's dotted name", ".net-csharp", { kernelspec: { name: ".net-csharp" } }],
    ["the kernel's compound name", "wolframlanguage13", { kernelspec: { name: "wolframlanguage13" } }],
    ["the language of nbformat 3", "Julia", { language: "Julia", name: "" }],
  ])("is %s", (_, language, metadata) => {
    expect(foreignLanguage(metadata)).toBe(language);
  });
});
