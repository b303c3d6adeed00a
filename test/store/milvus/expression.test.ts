import { describe, expect, it } from "vitest";
import { both, labelExpression, notebookExpression, quote } from "../../../src/store/milvus/expression.js";

describe("quote", () => {
  it.each([
    ["abc-019_x.y/z: w", '"abc-019_x.y/z: w"'],
    ['say "hi"', String.raw`"say \"hi\""`],
    ["C:\\new\\", String.raw`"C:\\new\\"`],
    ["a\nb\u0000", String.raw`"a\u000ab\u0000"`],
    ["é✓🦀", '"é✓🦀"'],
    ["\ud800", '"\ufffd"'],
    ['" or id != "', String.raw`"\" or id != \""`],
    ['\\" or id != "', String.raw`"\\\" or id != \""`],
  ])("writes %j as one literal", (text, literal) => {
    expect(quote(text)).toBe(literal);
  });
});

describe("labelExpression", () => {
  it.each([
    [{ field: "primary", any: ["load", "plot"], unlabelled: false } as const, 'primary in ["load", "plot"]'],
    [
      { field: "labels", any: ["load"], unlabelled: true } as const,
      'array_contains_any(labels, ["load"]) or primary == ""',
    ],
    [{ field: "labels", any: [], unlabelled: true } as const, 'primary == ""'],
    [{ field: "primary", any: [""], unlabelled: false } as const, null],
    [undefined, ""],
  ])("turns %j into %j", (filter, expression) => {
    expect(labelExpression(filter)).toBe(expression);
  });
});

describe("notebookExpression", () => {
  it.each([
    [undefined, ""],
    [{}, ""],
    [{ minVotes: 0 }, ""],
    [{ sources: [] }, null],
    [{ sources: ['a"b', "c"] }, 'source in ["a\\"b", "c"]'],
    [{ sources: ["a"], minVotes: 2 }, 'source in ["a"] and votes >= 2'],
  ])("writes %j", (filter, expected) => {
    expect(notebookExpression(filter)).toBe(expected);
  });
});

describe("both", () => {
  it("joins non-empty parts", () => {
    expect([both("a", ""), both("", "b"), both("a", "b or c")]).toEqual(["a", "b", "(a) and (b or c)"]);
  });
});
