import { describe, expect, it } from "vitest";
import { readFacts } from "../../src/label/facts.js";
import { nameParts } from "../../src/python/subwords.js";

describe("nameParts", () => {
  it.each([
    ["read_csv", ["read", "csv", "read_csv"]],
    ["XGBRegressor2", ["xgb", "regressor", "xgb_regressor"]],
    ["_x", ["x"]],
    ["__", []],
  ])("splits %j", (name, parts) => {
    expect(nameParts(name)).toEqual(parts);
  });
});

describe("readFacts", () => {
  it("sorts names by kind", () => {
    const facts = readFacts("from a.b import Cde as f\ng, h = f(x.y.z(1), key=w.v, n=len(k))");
    expect([...facts.modules]).toEqual(["a", "a.b"]);
    expect([...facts.imports]).toEqual(["cde", "f"]);
    expect([...facts.calls]).toEqual(["f", "z"]);
    expect([...facts.methods]).toEqual(["z"]);
    expect([...facts.attributes]).toEqual(["y", "v"]);
    expect([...facts.keywords]).toEqual(["key", "n"]);
    expect([...facts.builtins]).toEqual(["len"]);
    expect([...facts.names]).toEqual(["g", "h", "x", "w", "k"]);
  });

  it("reads sixteen levels of a module's path", () => {
    const { modules } = readFacts(`import ${"a.".repeat(20_000)}a, b.c`);
    expect([...modules].slice(-3)).toEqual(["a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a", "b", "b.c"]);
    expect(modules.size).toBe(18);
  });

  it.each([
    ["import os", "import"],
    ["a = b", "assign-name"],
    ["a = [1, 'x', None]", "assign-constant"],
    ["a = []", "assign-name"],
    ["a[0] = b", "assign-subscript"],
    ["a.b = c", "assign-attribute"],
    ["a, b = c", "assign-names"],
    ["a += 1", "augment"],
    ["f(a=1)", "call"],
    ["a.b", "attribute"],
    ["a[0]", "subscript"],
    ["a", "name"],
    ["a == b", "expression"],
    ["'a'", "string"],
    ["for a in b:", "loop"],
    ["%time", "magic"],
  ])("reads %j as a statement of the kind %s", (code, kind) => {
    expect(readFacts(code).statements.map((statement) => statement.kind)).toEqual([kind]);
  });

  it("reads a multi-line statement as one and splits several statements on one line", () => {
    const kinds = readFacts("f(a,\n  b)\nx = 1; y\nif x: z()").statements.map(({ kind }) => kind);
    expect(kinds).toEqual(["call", "assign-constant", "name", "branch", "call"]);
  });

  it("leaves out lines that are not Python, and their brackets", () => {
    const facts = readFacts("t.head()\n)(zzz.t\nGaussian naive Bayes\nt.tail()");
    expect([...facts.methods]).toEqual(["head", "tail"]);
    expect(facts.broken).toBe(2);
  });

  it("continues after a bracket that is never closed", () => {
    expect(readFacts("f(a, [\nimport os\nt.head()").statements.map(({ kind }) => kind)).toEqual([
      "expression",
      "import",
      "call",
    ]);
  });

  it("reads code that was put into a string to disable it", () => {
    expect([...readFacts("'''\nplt.show()\n'''").methods]).toEqual(["show"]);
  });
});
