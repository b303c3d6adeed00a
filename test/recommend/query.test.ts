import { describe, expect, it } from "vitest";
import { createLexicalEmbedder } from "../../src/embed/lexical.js";
import { CONTEXT_SHARE, mixVectors } from "../../src/recommend/features/compare-cells.js";
import { CONTEXT_WORDS, prepareQuery, textOf } from "../../src/recommend/query.js";

const embedder = createLexicalEmbedder();
/** In this test, short words are common words. */
const idf = (word: string) => word.length;
const typed = { code: "df.head()  # look", clean: "df.head()" };

describe("prepareQuery", () => {
  it("counts the words of the code in full, those of the cell before and of the Markdown with a quarter", async () => {
    const { words } = await prepareQuery({ embedder, idf }, typed, {
      before: ["far", "near df"],
      markdown: "look here",
    });
    expect(CONTEXT_WORDS).toBe(0.25);
    expect([words.get("head"), words.get("near"), words.get("here"), words.get("far")]).toEqual([
      1,
      0.25,
      0.25,
      undefined,
    ]);
    expect([words.get("df"), words.get("look")]).toEqual([1.25, 1.25]);
  });

  it("searches for the four rarest words of the context as well, for all of them if nothing is typed", async () => {
    const context = { before: ["a bb ccc dddd eeeee ffffff"] };
    const { words } = await prepareQuery({ embedder, idf }, typed, context);
    expect([...words].filter(([, weight]) => weight < 1)).toEqual(
      ["ffffff", "eeeee", "dddd", "ccc"].map((word) => [word, 0.25]),
    );
    expect([...words.keys()]).toEqual(expect.arrayContaining(["df", "head", "look"]));
    const { words: all } = await prepareQuery({ embedder, idf }, { code: "", clean: "" }, context);
    expect([...all]).toEqual(["a", "bb", "ccc", "dddd", "eeeee", "ffffff"].map((word) => [word, 0.25]));
  });

  it("leaves out common typed words, unless fewer than three would be left", async () => {
    const asked = { code: "abc = de(fgh, i)", clean: "abc = de(fgh, i)" };
    const typedWords = async (minIdf: number) => [
      ...(await prepareQuery({ embedder, idf, minIdf }, asked, { markdown: "x" })).words.keys(),
    ];
    expect(await typedWords(2)).toEqual(["abc", "de", "fgh", "x"]);
    expect(await typedWords(3)).toEqual(["abc", "=", "de", "(", "fgh", ",", "i", ")", "x"]);
  });

  it("searches for the words of expected lines, the more the likelier they are", async () => {
    const expected = [
      { text: "df.info()", confidence: 0.5 },
      { text: "df['a'].hist()", confidence: 0.1 },
    ];
    const { words } = await prepareQuery({ embedder, idf }, { code: "", clean: "" }, {}, { expected });
    expect([...words]).toEqual([
      ["info", 0.75],
      ["hist", 0.35],
    ]);
  });

  it("mixes the context into the vector and also keeps the vectors of the parts", async () => {
    const [code, before] = await embedder.embed(["df.head()", "near df"], "query");
    const { vector, vectors } = await prepareQuery({ embedder, idf }, typed, { before: ["# x", "near df"] });
    expect(CONTEXT_SHARE).toBe(0.3);
    expect(vectors).toEqual({ code, before, markdown: null });
    expect(vector).toEqual(mixVectors(code!, [before!]));
    expect((await prepareQuery({ embedder, idf }, typed, {})).vector).toEqual(code);
  });

  it("reads a cell that is only a comment by its words", () => {
    expect(textOf({ code: "# fit it", clean: "" })).toBe("  fit it");
    expect(textOf(typed)).toBe("df.head()");
  });

  it.each([
    ["x = 1\ndf['Sex'].value_counts(", ["value", "counts"]],
    ["df.hea", ["hea", "head", "heads"]],
    ["clf.fit(X_train, sample_weight=w, ", ["fit", "sample", "weight"]],
    ["total = price", ["price"]],
    ["for row in rows:", ["row", "rows"]],
    ["!pip install ", ["!", "pip", "install"]],
    ["df.head()\n", []],
  ])("looks a line up by the words that variables and literals do not change: %j", async (code, expected) => {
    const findWords = (begun: string) => (begun === "hea" ? ["head", "heads"] : []);
    const { lineWords } = await prepareQuery({ embedder, idf, findWords }, { code, clean: code }, {});
    expect([...lineWords.keys()]).toEqual(expected);
  });
});
