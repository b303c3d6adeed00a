import { describe, expect, it } from "vitest";
import { isOverlong } from "../../src/notebook/code-length.js";

describe("isOverlong", () => {
  it.each<[string, string, boolean]>([
    ["nothing", "", false],
    ["60,000 letters", "a".repeat(60_000), false],
    ["60,001 letters", "a".repeat(60_001), true],
    ["30,000 letters of two bytes", "\u00e9".repeat(30_000), false],
    ["30,001 letters of two bytes", "\u00e9".repeat(30_001), true],
  ])("of %s is as it should be", (_, code, expected) => {
    expect(isOverlong(code)).toBe(expected);
  });
});
