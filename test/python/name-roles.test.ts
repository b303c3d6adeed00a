import { describe, expect, it } from "vitest";
import { freeNames, nameRoles } from "../../src/python/name-roles.js";
import { tokenize } from "../../src/python/tokenize.js";

describe("nameRoles", () => {
  it.each([
    ["import numpy.linalg as la, os", ["module", "module", "imported", "module"]],
    ["from a.b import C as D\nx", ["module", "module", "imported", "imported", "free"]],
    ["from a import (\n  b,\n  c)\nd", ["module", "imported", "imported", "free"]],
    ["f(a, b=c).d(\n  e=1)", ["free", "free", "keyword", "free", "attribute", "keyword"]],
    ["f(a,  # why\n  b=1)", ["free", "free", "keyword"]],
    ["def f(a, b=1): return print(a)", ["free", "free", "free", "builtin", "free"]],
    ["g = lambda a, b=1: a", ["free", "free", "free", "free"]],
    ["f(lambda a=1: a, b=2)", ["free", "free", "free", "keyword"]],
    ["for i in ran", ["free", "free"]],
    ["x = [y == 1]", ["free", "free"]],
    ["df.max(max)", ["free", "attribute", "builtin"]],
    ["match x:\n  case _: y", ["syntax", "free", "syntax", "syntax", "free"]],
    ["match = x", ["free", "free"]],
    ["a = f(b, \nimport c", ["free", "free", "free", "module"]],
    ["a = b + \\\n  c.d", ["free", "free", "free", "attribute"]],
    ["1e", ["syntax"]],
  ])("of %j", (code, expected) => {
    expect(nameRoles(tokenize(code)).filter((role) => role !== null)).toEqual(expected);
  });

  it("reads text that opens brackets and statements without end in linear time", () => {
    for (const text of ["match (", "from (\n", "match;", "f(lambda "]) {
      const tokens = tokenize(text.repeat(8_000));
      expect(nameRoles(tokens)).toHaveLength(tokens.length);
    }
  });
});

describe("freeNames", () => {
  it("are the code's own and the imported ones", () => {
    const names = freeNames(tokenize("from a import b as c\nd = len(e.f(g=h))"));
    expect(names.map(({ text }) => text)).toEqual(["b", "c", "d", "e", "h"]);
  });
});
