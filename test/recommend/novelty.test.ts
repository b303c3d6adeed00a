import { describe, expect, it } from "vitest";
import { cellId } from "../../src/notebook/extract.js";
import { profileCell } from "../../src/python/profile.js";
import { createNoveltyCheck } from "../../src/recommend/novelty.js";
import { packProfile } from "../../src/store/profile-pack.js";

const isNovel = (before: readonly string[] | undefined, code: string) =>
  createNoveltyCheck(before)(cellId(code), packProfile(profileCell(code)));

describe("createNoveltyCheck", () => {
  it.each([
    [undefined, "x = 1", true],
    [["x = 1"], "x = 1", false],
    [["x = 1"], "# one\n\nx  =  1", false],
    [["x = 1"], "y = 1", true],
    [["x = 1", ...Array.from({ length: 30 }, (_, at) => `a = ${at + 2}`)], "x = 1", false],
    [["x = 1", ...Array.from({ length: 30 }, (_, at) => `a = ${at + 2}`)], "x  = 1", true],
  ])("after %j: %j", (before, code, expected) => {
    expect(isNovel(before, code)).toBe(expected);
  });
});
