import { describe, expect, it } from "vitest";
import { cellId } from "../../src/notebook/extract.js";
import { profileCell } from "../../src/python/profile.js";
import { createHitAdapter } from "../../src/recommend/answer/answer.js";
import { createAddedCode, createNoveltyCheck } from "../../src/recommend/novelty.js";
import { packProfile } from "../../src/store/profile-pack.js";
import type { StoredCell } from "../../src/store/vector-store.js";

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
  ])("after the cells %j, checks %j", (before, code, expected) => {
    expect(isNovel(before, code)).toBe(expected);
  });
});

describe("the code that a cell adds", () => {
  it.each<[string, string, readonly string[], string, string]>([
    ["leaves out a line that the cell before has", "df.", ["df.head()"], "print(df.shape)\ndf.head()", ""],
    ["includes a line that only an earlier cell has", "df.", ["df.head()", "df = df.dropna()"], "df.head()", "head()"],
    ["includes a new line", "df.", ["df.head()"], "df.info()", "info()"],
    ["leaves out a line that differs only in spaces", "x = ", ["x=  f(1)"], "x = f(1)", ""],
  ])("%s", (_, typed, before, code, expected) => {
    const added = createAddedCode("complete", typed, before);
    expect(added({ code, clean: code } as StoredCell, createHitAdapter(typed, { before }))).toBe(expected);
  });
});
