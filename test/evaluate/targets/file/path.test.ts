import { describe, expect, it } from "vitest";
import { parsePath, pick } from "../../../../src/evaluate/targets/file/target-schema.js";

const answer = { hits: [{ code: "a", n: { score: 1 } }, { code: "b" }], "odd key": [[1, 2], [3]], none: null };

describe("paths", () => {
  it.each([
    ["", [answer]],
    ["$", [answer]],
    ["hits[*].code", ["a", "b"]],
    ["$.hits[*].code", ["a", "b"]],
    ["hits[1].code", ["b"]],
    ["hits[*].n.score", [1]],
    ['["odd key"][*][*]', [1, 2, 3]],
    ["none", [null]],
    ["none.deeper", []],
    ["hits.length", []],
    ["hits[7]", []],
    ["none[*]", []],
    ["toString", []],
  ])("%s selects the expected values", (path, found) => {
    expect(pick(answer, parsePath(path)!)).toEqual(found);
  });

  it.each([".a", "a..b", "a[", "a[-1]", "a[x]", "a b", "/a/b", "{{a}}", "a.", "a[*]b"])("%s is no path", (path) => {
    expect(parsePath(path)).toBeNull();
  });
});
