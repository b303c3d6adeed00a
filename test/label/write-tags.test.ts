import { describe, expect, it } from "vitest";
import { writeLabelTags } from "../../src/label/write-tags.js";

const cells = (...list: unknown[]) => ({ cells: list, metadata: {}, nbformat: 4, nbformat_minor: 5 });
const write = (text: string, ...labels: [number, string[]][]) => writeLabelTags(text, new Map(labels));

describe("writeLabelTags", () => {
  it("fills empty metadata in the file's own layout", () => {
    const before = JSON.stringify(cells({ cell_type: "code", metadata: {}, source: ["a"] }), null, 1);
    const after = JSON.stringify(
      cells({ cell_type: "code", metadata: { tags: ["ingest_data"] }, source: ["a"] }),
      null,
      1,
    );
    expect(write(`${before}\n`, [0, ["ingest_data"]])).toBe(`${after}\n`);
  });

  it("adds to other metadata and to other tags, and keeps their order", () => {
    const cell = (metadata: unknown) => JSON.stringify(cells({ metadata, source: "" }), null, 2);
    expect(write(cell({ scrolled: true }), [0, ["train_model"]])).toBe(cell({ scrolled: true, tags: ["train_model"] }));
    expect(write(cell({ tags: ["mine"], id: 1 }), [0, ["train_model"]])).toBe(
      cell({ tags: ["mine", "train_model"], id: 1 }),
    );
    expect(write(cell({ tags: [] }), [0, ["train_model"]])).toBe(cell({ tags: ["train_model"] }));
  });

  it("replaces labels of an earlier run, and nothing else", () => {
    const cell = (tags: string[]) => JSON.stringify(cells({ metadata: { tags }, source: "" }), null, 1);
    const before = cell(["ingest_data", "mine", "train_model"]);
    expect(write(before, [0, ["train_model", "process_data"]])).toBe(cell(["mine", "train_model", "process_data"]));
  });

  it("changes nothing if the labels are there already, or there are none", () => {
    const text = '{"cells":[{"metadata":{"tags":["mine" , "train_model"]}},{"metadata":{ }},{}]}';
    expect(write(text, [0, ["train_model"]], [1, []], [2, []])).toBe(text);
  });

  it("keeps the compact or spaced layout of a file", () => {
    expect(write('{"cells":[{"metadata":{},"source":""}]}', [0, ["train_model", "process_data"]])).toBe(
      '{"cells":[{"metadata":{"tags":["train_model","process_data"]},"source":""}]}',
    );
    expect(write('{"cells": [{"metadata": {"a": 1}}]}', [0, ["train_model", "process_data"]])).toBe(
      '{"cells": [{"metadata": {"a": 1, "tags": ["train_model", "process_data"]}}]}',
    );
  });

  it("gives a cell metadata that has none", () => {
    expect(write('{"cells":[{"source":"x"}]}', [0, ["train_model"]])).toBe(
      '{"cells":[{"source":"x","metadata":{"tags":["train_model"]}}]}',
    );
  });

  it("leaves odd numbers, escapes, doubled keys and foreign line ends as they are", () => {
    const text =
      '{\r\n "x": 1.0e+2, "\\u0061": "\\/",\r\n "cells": [{"metadata": {"a": 1}, "source": "\\ud800 }]"}]\r\n}';
    expect(write(text, [0, ["train_model"]])).toBe(text.replace('"a": 1', '"a": 1, "tags": ["train_model"]'));
  });

  it("writes into the worksheets of an old notebook", () => {
    expect(write('{"worksheets":[{"cells":[{"metadata":{}},{"metadata":{}}]}]}', [1, ["train_model"]])).toBe(
      '{"worksheets":[{"cells":[{"metadata":{}},{"metadata":{"tags":["train_model"]}}]}]}',
    );
  });

  it("survives nesting that would overflow a recursive reader", () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    const text = `{"cells":[{"outputs":${deep},"metadata":{}}]}`;
    expect(write(text, [0, ["train_model"]])).toBe(text.replace("{}", '{"tags":["train_model"]}'));
  });

  it.each(["", "{", "[]", '{"cells": 3}'])("refuses %j", (text) => {
    expect(() => write(text)).toThrow(expect.objectContaining({ code: "NOT_A_NOTEBOOK" }));
  });
});
