import { describe, expect, it } from "vitest";
import { profileCell } from "../../../src/python/profile.js";
import { compareCells, mixVectors } from "../../../src/recommend/features/compare-cells.js";
import { FEATURES } from "../../../src/recommend/features/feature-table.js";
import { profileQuery, type QueryContext } from "../../../src/recommend/features/query-profile.js";
import { packProfile } from "../../../src/store/profile-pack.js";

/** Every word counts 1, so that expected values can be counted by hand. */
function compare(query: string, cells: string[], context: QueryContext = {}) {
  const profiles = cells.map((code) => ({
    profile: packProfile(profileCell(code)),
    vector: Float32Array.of(0.6, 0.8),
  }));
  const vectors = { code: Float32Array.of(1, 0), markdown: Float32Array.of(0, 1) };
  const rows = compareCells(
    FEATURES,
    profileQuery(query, context, () => 1),
    vectors,
    profiles,
  );
  return rows.map((row) => Object.fromEntries(FEATURES.map(({ name }, at) => [name, row[at]!])));
}

describe("the features", () => {
  it("have names of their own", () => {
    expect(new Set(FEATURES.map(({ name }) => name)).size).toBe(FEATURES.length);
  });

  it("measure the overlap with a cell", () => {
    // The query has seven distinct words: df . head ( 5 ) print.
    const [found] = compare("df.head(5)\nprint(df)", ["x.head(5)\nprint(x)"]);
    expect(found!.coverage).toBeCloseTo(6 / 7, 12);
    expect(found!["fixed-coverage"]).toBe(1);
    // Six of nine pairs of adjacent words: `df .`, `( df` and `df )` are not in the cell.
    expect(found!["pair-coverage"]).toBeCloseTo(6 / 9, 12);
    expect(found!["last-line"]).toBeCloseTo(3 / 4, 12);
    expect(found!["lines-in-order"]).toBeCloseTo(1, 12);
    expect(found!["same-lines"]).toBe(0);
    expect([found!["first-line"], found!["first-shape"]]).toEqual([0, 1]);
    expect(found!.bm25).toBe(1);
    expect(found!.cosine).toBeCloseTo(0.6, 6);
    expect([found!["before-cosine"], found!["before-bm25"], found!["before-coverage"]]).toEqual([0, 0, 0]);
  });

  it("compare the query's lines in order", () => {
    const [same, turned] = compare("a()\nb()", ["a()\nx = 1\nb()", "b()\na()"]);
    expect(same!["same-lines"]).toBe(1);
    expect(turned!["same-lines"]).toBeCloseTo(0.5, 12);
  });

  it("measure raw length and comments", () => {
    const [long, short] = compare("x = 1", [`# one\ny = 2\n# two\n${"z".repeat(64)}`, ""]);
    expect(long!.longer).toBeCloseTo(Math.log((82 + 20) / 25), 12);
    expect([long!.shorter, long!.long]).toEqual([0, 0]);
    expect(long!.comments).toBe(0.5);
    expect(short!.shorter).toBeCloseTo(Math.log(25 / 20), 12);
  });

  it("measure how unlike a cell's length is to that of the cells before", () => {
    const before = ["x".repeat(30), "x".repeat(60), "x".repeat(80)];
    const [long, short] = compare("", ["y".repeat(140), "y".repeat(20)], { before });
    expect(long!["unlike-length"]).toBeCloseTo(Math.log(160 / 80), 12);
    expect(short!["unlike-length"]).toBeCloseTo(Math.log(80 / 40), 12);
    const [between] = compare("", ["y".repeat(70)], { before: before.slice(0, 2) });
    expect(between!["unlike-length"]).toBeCloseTo(Math.log(90 / 65), 12);
    const [alone] = compare("", ["y".repeat(320)]);
    expect(alone!["unlike-length"]).toBeCloseTo(Math.log(340 / 170), 12);
  });

  it("weight nearer cells of the context more", () => {
    const context = { before: ["far", "near"], markdown: "near far" };
    const [near, far] = compare("x", ["near", "far"], context);
    expect(near!["before-coverage"]).toBeCloseTo(1 / 1.6, 12);
    expect(far!["before-coverage"]).toBeCloseTo(0.6 / 1.6, 12);
    expect(near!["before-bm25"]).toBe(1);
    expect(far!["markdown-coverage"]).toBe(0.5);
    expect(far!["markdown-cosine"]).toBeCloseTo(0.8, 6);
  });

  it("count the calls that candidates share", () => {
    // `fit` is typed, `print` is a builtin, and `fit_transform` was called above. So a adds score, b adds score and
    // plot, and c adds nothing.
    const cells = ["m.fit(x)\nprint(m.score(x))", "def f(): m.score(x)\nplt.plot(x)\nfit_transform(x)", "y = 1"];
    const [a, b, c] = compare("m.fit(x)", cells, { before: ["s.fit_transform(x)"] });
    expect([a!["known-calls"], b!["known-calls"], c!["known-calls"]]).toEqual([1 / 2, 1 / 3, 0]);
    expect([a!["added-calls"], b!["added-calls"], c!["added-calls"]]).toEqual([Math.log(2), Math.log(4), 0]);
    expect([a!["shared-calls"], b!["shared-calls"], c!["shared-calls"]]).toEqual([1 / 4, 1 / 4, 0]);
    expect([a!["common-calls"], b!["common-calls"], c!["common-calls"]]).toEqual([1 / 3, 1 / 9, 0]);
  });

  it("consider the lines after the last typed one", () => {
    // After `a = f(1)` come `c . g ( )` and `print ( d )`: nine words. `c` and `g` are in the cells before; `( ) (` and
    // `)` are typed.
    const typed = "import x\na = f(1)";
    const [found, renamed, earlier, none, all] = compare(
      typed,
      ["a = f(1)\nc.g()\nprint(d)", "b = f(1)\nc", "import x\nc", "c d", "import x\na = f(1)"],
      { before: ["c g"] },
    );
    const read = (row: typeof found) => [row!["words-behind"], row!["share-behind"], row!["known-behind"]];
    expect(read(found)).toEqual([Math.log(10), 9 / 15, 6 / 9]);
    expect(read(renamed)).toEqual([Math.log(2), 1 / 7, 1]);
    expect(read(earlier)).toEqual([Math.log(2), 1 / 3, 1]);
    expect(read(none)).toEqual([Math.log(3), 1, 1 / 2]);
    expect(read(all)).toEqual([0, 0, 0]);
    expect([found, renamed, none, all].map((row) => row!["repeated-lines"])).toEqual([1 / 3, 1 / 2, 0, 1]);
    expect(found!["typed-length"]).toBeCloseTo(Math.log(typed.length + 20), 12);
  });

  it.each([
    ["df.groupby(", [1, 0]],
    ["df.groupby(['a', f(b), ", [1, 0]],
    ["print(df.groupby('a'), m.fit(", [0, 1]],
    ["x = [df.groupby('a')", [0, 0]],
    ["print(", [0, 0]],
  ])("detect whether a cell makes the call being typed: %s", (typed, wanted) => {
    const rows = compare(typed, ["a.groupby(b).mean()\nprint(a)", "m.fit(X)\nprint(m)"]);
    expect(rows.map((row) => row["open-call"])).toEqual(wanted);
  });

  it("compare the vector of the code with its context as the first stage mixes them", () => {
    const [found] = compare("x", ["y"]);
    const mixed = mixVectors(Float32Array.of(1, 0), [null, Float32Array.of(0, 1)])!;
    expect(found!["mixed-cosine"]).toBeCloseTo(0.6 * mixed[0]! + 0.8 * mixed[1]!, 6);
  });

  it("find words of comments in code and comments", () => {
    const [inComment, inCode, nowhere] = compare("# load data", ["x()  # data: load", "load(data)", "x()"]);
    expect(inCode!.remarks).toBeCloseTo(2 / 3, 12);
    expect(inComment!.remarks).toBe(1);
    expect(nowhere!.remarks).toBe(0);
  });
});

describe("a query's vector with its context", () => {
  it("counts the code in full and each part of the context with .3", () => {
    const mixed = mixVectors(Float32Array.of(1, 0), [Float32Array.of(0, 1), null]);
    expect(mixed![0]).toBeCloseTo(1 / Math.hypot(1, 0.3), 6);
    expect(mixed![1]).toBeCloseTo(0.3 / Math.hypot(1, 0.3), 6);
    expect(mixVectors(null, [null])).toBeNull();
  });
});
