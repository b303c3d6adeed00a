import { describe, expect, it } from "vitest";
import { isClosed } from "../../src/python/grammar.js";

describe("isClosed", () => {
  it.each<[string, boolean]>([
    ["", true],
    ["f(a[0], {})", true],
    ["f((a))", true],
    ["f(((a)))", false],
    ["f(", false],
    ["f)", false],
    ["f(]", false],
    ["'(' # (", true],
    ["'a", false],
    ["'a\nb'", false],
    ['"""a\nb"""', true],
  ])("of %j, two levels deep, is %s", (code, expected) => {
    expect(isClosed(code, 2)).toBe(expected);
  });
});
