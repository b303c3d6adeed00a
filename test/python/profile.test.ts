import { describe, expect, it } from "vitest";
import { hashText, profileCell } from "../../src/python/profile.js";
import { profileQuery } from "../../src/recommend/features/query-profile.js";

const hashes = (...words: string[]) => words.map(hashText);
const one = () => 1;

describe("the profile of a cell", () => {
  it("has the words in order, the ends of lines, and the words that are never renamed", () => {
    const { words, ends, fixed } = profileCell("df.head(5)\n\nprint(df)  # rows");
    expect([...words]).toEqual(hashes("df", ".", "head", "(", "5", ")", "print", "(", "df", ")"));
    expect([...ends]).toEqual([6, 10]);
    expect([...fixed]).toEqual([0, 0, 1, 0, 1, 0, 1, 0, 0, 0]);
  });

  it("has equal lines for equal code, and equal shapes if only free names differ", () => {
    const [one, other] = [profileCell("df.head()\nx = 1"), profileCell("data.head() # top\n\ny = 1")];
    expect([...one.shapes]).toEqual([...other.shapes]);
    expect(one.lines[0]).not.toBe(other.lines[0]);
    expect(profileCell("df .head( )").lines[0]).toBe(one.lines[0]);
    expect(one.lines.length).toBe(2);
    expect(profileCell("df.tail()").shapes[0]).not.toBe(one.shapes[0]);
  });

  it("holds the names that are called, each once, but no builtin", () => {
    const { calls } = profileCell("m.fit(x)\nm.fit(y)\nprint(len(x))\nscore(x)\nm.plot");
    expect([...calls]).toEqual(hashes("fit", "score"));
  });

  it("counts the lines that are only comments, and contains the words of all comments", () => {
    const { comments, remarks } = profileCell("# one\nx = 1  # two\n    # three\ny = 2");
    expect([comments, [...remarks]]).toEqual([2, hashes("#", "one", "#", "two", "#", "three")]);
    expect(profileCell("x = 1").comments).toBe(0);
  });

  it("knows how long the raw cell is, and reads no more than 6,000 characters and 1,500 words", () => {
    const long = profileCell(`${" ".repeat(5_999)}a b`);
    expect([long.length, [...long.words]]).toEqual([6_002, hashes("a")]);
    expect(profileCell("a ".repeat(2_000)).words.length).toBe(1_500);
    expect(profileCell("").lines.length).toBe(0);
  });
});

describe("the profile of a query", () => {
  it("reads the five nearest cells before, each fading by .6", () => {
    const before = ["f", "e", "d", "c", "b", "a"];
    const { words, parts } = profileQuery("x", { before }, one);
    const weightOf = (word: string) => parts.before.weights[words.find(hashText(word))];
    expect(["a", "b", "c", "d", "e"].map(weightOf)).toEqual(
      [1, 0.6, 0.36, 0.216, 0.1296].map((weight) => expect.closeTo(weight, 12)),
    );
    expect(words.find(hashText("f"))).toBe(-1);
    expect(parts.before.total).toBeCloseTo(2.3056, 12);
  });

  it("reads 4,000 characters of each part of the context", () => {
    const text = `${" ".repeat(3_999)}a b`;
    const { words } = profileQuery("x", { before: [text], markdown: `${" ".repeat(3_999)}c d` }, one);
    expect(["a", "b", "c", "d"].map((word) => words.find(hashText(word)) !== -1)).toEqual([true, false, true, false]);
  });

  it("keeps the 256 words of a part with the highest IDF", () => {
    const names = Array.from(
      { length: 300 },
      (_, at) => `w${String.fromCharCode(97 + (at % 26))}${String.fromCharCode(97 + Math.floor(at / 26))}`,
    );
    const idf = (word: string) => 1 + names.indexOf(word);
    const { words, parts } = profileQuery("x", { markdown: names.join(" ") }, idf);
    expect([words.find(hashText(names[43]!)), words.find(hashText(names[44]!)) !== -1]).toEqual([-1, true]);
    expect(parts.markdown.total).toBe(Array.from({ length: 256 }, (_, at) => 45 + at).reduce((a, b) => a + b));
  });

  it("weights lines by their words, with a positive minimum", () => {
    expect([...profileQuery("a b\nc", {}, one).lineWeights]).toEqual([2.1, 1.1]);
  });

  it("lists the words of the last line separately", () => {
    const { words, parts } = profileQuery("a b\nc", {}, one);
    expect([parts.last.total, parts.last.weights[words.find(hashText("c"))]]).toEqual([1, 1]);
    expect(profileQuery("a b", {}, one).parts.last.total).toBe(2);
  });

  it("has the calls of the cells before", () => {
    expect([...profileQuery("x", { before: ["m.fit(a)", "m.score(b)"] }, one).callsBefore].toSorted()).toEqual(
      hashes("fit", "score").toSorted(),
    );
  });
});
