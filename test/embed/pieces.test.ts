import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EmbedRole } from "../../src/embed/embedder.js";
import { createPiecesEmbedder } from "../../src/embed/pieces.js";

const FOLDER = "models/embedder";
const embedder = await createPiecesEmbedder({ folder: FOLDER });
const embedOne = async (text: string, role: EmbedRole = "cell") => (await embedder.embed([text], role))[0]!;
const dot = (left: Float32Array, right: Float32Array) => left.reduce((sum, value, at) => sum + value * right[at]!, 0);

describe("the pieces embedder", () => {
  it("gives the trainer's vectors within 1e-5", async () => {
    const samples = JSON.parse(await readFile(join(FOLDER, "test-vectors.json"), "utf8")) as {
      words: string[];
      role: EmbedRole;
      vector: number[];
    }[];
    expect(samples).toHaveLength(14);
    for (const { words, role, vector } of samples) {
      const found = await embedOne(words.join(" "), role);
      const worst = Math.max(...vector.map((value, at) => Math.abs(value - found[at]!)));
      expect(worst, `${role}: ${words.slice(0, 6).join(" ")}`).toBeLessThan(1e-5);
    }
  });

  it("names model, revision, pooling and preprocessing in its id", () => {
    expect(embedder.id).toMatch(/^celrec-pieces@\d+\/256d\/sum\/clean-subwords-1500$/);
    expect(embedder.dimensions).toBe(256);
  });

  it("has no vector for a text without tokens", async () => {
    expect(await embedder.embed(["", " \n\t", "_"], "cell")).toEqual([null, null, null]);
  });

  it("places a prefix nearer to its own cell than to another", async () => {
    const query = await embedOne("model = RandomForestClassifier(", "query");
    const own = await embedOne("clf = RandomForestClassifier(n_estimators=100)\nclf.fit(X_train, y_train)");
    const other = await embedOne("plt.figure(figsize=(10, 5))\nplt.hist(df['age'], bins=30)\nplt.show()");
    expect(dot(query, own)).toBeGreaterThan(dot(query, other) + 0.3);
  });

  it("gives unit vectors of the same text whatever else is in the batch", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary", maxLength: 60 }), { maxLength: 8 }), async (texts) => {
        const together = await embedder.embed(texts, "query");
        for (const [at, text] of texts.entries()) {
          const [alone] = await embedder.embed([text], "query");
          expect(together[at]).toEqual(alone);
          if (alone) expect(dot(alone, alone)).toBeCloseTo(1, 5);
        }
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it.each([
    ["one character", "x"],
    ["punctuation", "((()))[]{}::,,"],
    ["another script", "数据 = 读取('文件')\nпеременная = 5"],
    ["unknown words", "qzxv wvkq jjzz"],
    ["half an emoji", "\ud83d = 1"],
    ["one endless word", "q".repeat(200_000)],
    ["10,000 lines", "df = df.dropna()\n".repeat(10_000)],
  ])("answers for %s", async (_, text) => {
    const vector = await embedOne(text, "query");
    expect(dot(vector, vector)).toBeCloseTo(1, 5);
  });
});

describe("a damaged model", () => {
  const withCopy = async (damage: (folder: string) => Promise<void>) => {
    const folder = await mkdtemp(join(tmpdir(), "celrec-model-"));
    try {
      await cp(FOLDER, folder, { recursive: true });
      await damage(folder);
      return await createPiecesEmbedder({ folder }).then(
        () => null,
        (error: unknown) => error,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  it("is named with both checksums", async () => {
    const { sha256 } = JSON.parse(await readFile(join(FOLDER, "model.json"), "utf8"));
    const error = await withCopy(async (folder) => {
      const bytes = await readFile(join(folder, "vectors.i8"));
      bytes[1000]! ^= 1;
      await writeFile(join(folder, "vectors.i8"), bytes);
    });
    expect(error).toMatchObject({ name: "RecommenderError", code: "MODEL_UNAVAILABLE" });
    expect((error as Error).message).toContain("vectors.i8");
    expect((error as Error).message).toContain(sha256["vectors.i8"]);
    expect((error as Error).message.match(/[0-9a-f]{64}/g)).toHaveLength(2);
  });

  it.each(["weights.f32", "pieces.json", "model.json"])("is named if %s is missing", async (name) => {
    const error = await withCopy((folder) => rm(join(folder, name)));
    expect(error).toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect((error as Error).message).toContain(name);
  });

  it("is reported if its description is not JSON", async () => {
    const error = await withCopy((folder) => writeFile(join(folder, "model.json"), "{"));
    expect(error).toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect((error as Error).message).toContain("model.json");
  });
});
