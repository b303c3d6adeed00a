import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLexicalEmbedder } from "../../src/embed/lexical.js";

const embedder = createLexicalEmbedder();
const embedOne = async (text: string) => (await embedder.embed([text], "cell"))[0] ?? null;
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
/** The nonzero components of a vector by index. */
const filled = (vector: Float32Array | null) =>
  [...(vector ?? [])].flatMap((value, at) => (value === 0 ? [] : [[at, Number(value.toFixed(6))]]));

/** An independent implementation of FNV-1a with folded high bits: index and sign of a feature. */
function placeOf(feature: string): [number, number] {
  let hash = 2166136261n;
  for (const char of feature) hash = ((hash ^ BigInt(char.charCodeAt(0))) * 16777619n) & 0xffffffffn;
  hash ^= hash >> 15n;
  return [Number(hash % 512n), hash >> 31n === 1n ? -1 : 1];
}

describe("the lexical embedder", () => {
  it("has an id that names its version and dimension", () => {
    expect([embedder.id, embedder.dimensions]).toEqual(["lexical-1-512", 512]);
    expect(createLexicalEmbedder().id).toBe(embedder.id);
  });

  it("sets a single component for a short word", async () => {
    const [place, sign] = placeOf("df");
    expect(filled(await embedOne("df"))).toEqual([[place, sign]]);
  });

  it("weighs words by the logarithm of their count, and punctuation little", async () => {
    const weights = new Map<number, number>();
    for (const [feature, weight] of [
      ["a", 1 + Math.log(2)],
      ["b", 1],
      ["+", 0.15 * (1 + Math.log(2))],
    ] as const) {
      const [place, sign] = placeOf(feature);
      weights.set(place, (weights.get(place) ?? 0) + sign * weight);
    }
    const length = Math.hypot(...weights.values());
    const expected = [...weights]
      .sort(([a], [b]) => a - b)
      .map(([place, weight]) => [place, Number((weight / length).toFixed(6))]);
    expect(filled(await embedOne("a + b + a"))).toEqual(expected);
  });

  it("adds the trigrams of words longer than three letters", async () => {
    const weights = new Map<number, number>();
    for (const [feature, weight] of [
      ["plot", 1],
      ["#<pl", 0.4],
      ["#plo", 0.4],
      ["#lot", 0.4],
      ["#ot>", 0.4],
    ] as const) {
      const [place, sign] = placeOf(feature);
      weights.set(place, (weights.get(place) ?? 0) + sign * weight);
    }
    const length = Math.hypot(...weights.values());
    const expected = [...weights]
      .sort(([a], [b]) => a - b)
      .map(([place, weight]) => [place, Number((weight / length).toFixed(6))]);
    expect(filled(await embedOne("plot"))).toEqual(expected);
  });

  it.each(["", " \n\t", "___"])("has no vector for %j", async (text) => {
    expect(await embedOne(text)).toBe(null);
  });

  it("gives one vector per text, in order", async () => {
    const vectors = await embedder.embed(["a", "", "b", "a"], "query");
    expect(vectors.map((vector) => vector && filled(vector))).toEqual([
      filled(await embedOne("a")),
      null,
      filled(await embedOne("b")),
      filled(await embedOne("a")),
    ]);
    expect(await embedder.embed([], "cell")).toEqual([]);
  });

  it("gives queries and cells the same vectors", async () => {
    const text = "model.fit(X_train, y_train)";
    expect(await embedder.embed([text], "query")).toEqual(await embedder.embed([text], "cell"));
  });

  it("gives every text a vector of unit length or none", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), async (text) => {
        const vector = await embedOne(text);
        if (vector === null) return;
        expect(vector.length).toBe(512);
        expect(dot(vector, vector)).toBeCloseTo(1, 5);
      }),
    );
  });

  it.each<[string, string, string]>([
    ["df = pd.read_csv('train.csv')", "data = pd.read_csv('test.csv')", "plt.plot(history.history['loss'])"],
    ["model.fit(X_train, y_train)", "clf.fit(xTrain, yTrain)", "df.isnull().sum()"],
    [
      "plt.figure(figsize=(10, 5))\nplt.hist(df.age)",
      "plt.figure()\nplt.hist(df['age'], bins=20)",
      "from sklearn.svm import SVC",
    ],
    ["accuracy_score(y_test, pred)", "print(accuracy_score(y_val, predictions))", "df.drop('id', axis=1)"],
  ])("puts %j nearer to %j than to %j", async (cell, similar, other) => {
    const [a, b, c] = await embedder.embed([cell, similar, other], "cell");
    expect(dot(a!, b!)).toBeGreaterThan(dot(a!, c!) + 0.2);
  });

  it("matches different forms of a word", async () => {
    const [a, b, c] = await embedder.embed(["training", "trainer", "columns"], "cell");
    // The texts share four trigrams (<tr, tra, rai, ain) of 0.4 each. Beside the word, they have eight and seven
    // trigrams.
    expect(dot(a!, b!)).toBeCloseTo(0.64 / Math.sqrt(2.28 * 2.12), 6);
    expect(dot(a!, c!)).toBe(0);
  });
});
