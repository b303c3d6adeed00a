import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodebertEmbedder, loadTokenizer } from "../../src/embed/codebert.js";
import { isLongRun, requires, sharedData } from "../require.js";

/** The longest code that a request may have is 256 KB. */
const LONG_TEXT_KB = isLongRun ? 256 : 32;

interface Case {
  readonly name: string;
  readonly text: string;
  readonly ids: number[];
  readonly mean: number[] | null;
  readonly cls?: number[];
}

const TINY = "test/fixtures/tiny-roberta";
const TINY_INT8 = "test/fixtures/tiny-roberta-int8.onnx";
const { cases }: { cases: Case[] } = JSON.parse(await readFile(`${TINY}/vectors.json`, "utf8"));
const textOf = (name: string) => cases.find((one) => one.name === name)!.text;

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "celrec-codebert-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** A copy of the tiny model that a test may damage. */
async function copyTiny(): Promise<string> {
  const folder = join(await mkdtemp(join(scratch, "copy-")), "tiny");
  await cp(TINY, folder, { recursive: true });
  return folder;
}

async function embed(texts: readonly string[], options: Partial<Parameters<typeof createCodebertEmbedder>[0]> = {}) {
  const embedder = await createCodebertEmbedder({ model: TINY, ...options });
  try {
    return await embedder.embed(texts, "cell");
  } finally {
    await embedder.close();
  }
}

/** Expects a rejection with MODEL_UNAVAILABLE and a message that contains all of these texts. */
async function expectUnavailable(promise: Promise<unknown>, ...parts: string[]): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: "RecommenderError", code: "MODEL_UNAVAILABLE" });
  for (const part of parts) expect((error as Error).message).toContain(part);
}

function distance(a: ArrayLike<number> | null | undefined, b: ArrayLike<number> | null | undefined): number {
  if (!a || !b) return a === b ? 0 : Number.NaN;
  return Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i]!)));
}

describe("codebert vectors", () => {
  it.each(cases)("are PyTorch's: $name", async ({ text, mean }) => {
    const [vector] = await embed([text]);
    expect(vector === null).toBe(mean === null);
    expect(distance(vector, mean)).toBeLessThan(1e-4);
  });

  it.each(cases.filter(({ cls }) => cls))("are PyTorch's with CLS pooling: $name", async ({ text, cls, mean }) => {
    const [vector] = await embed([text], { pooling: "cls" });
    expect(distance(vector, cls)).toBeLessThan(1e-4);
    expect(distance(vector, mean)).toBeGreaterThan(0.01);
  });

  it("come in the order of the texts, whatever the batches", async () => {
    const shuffled = [...cases, ...cases.toReversed(), ...cases];
    const vectors = await embed(shuffled.map(({ text }) => text));
    expect(vectors).toHaveLength(shuffled.length);
    const worst = Math.max(...shuffled.map(({ mean }, i) => distance(vectors[i], mean)));
    expect(worst).toBeLessThan(1e-4);
  });

  it("have length 1 and the dimension of config.json", async () => {
    const embedder = await createCodebertEmbedder({ model: TINY });
    const [vector] = await embedder.embed(["df.head()"], "query");
    expect(embedder.dimensions).toBe(32);
    expect(vector).toHaveLength(32);
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 6);
  });

  it("are an empty list for no texts, and null for an empty text", async () => {
    expect(await embed([])).toEqual([]);
    const vectors = await embed(["", "x", ""]);
    expect(vectors.map((vector) => vector === null)).toEqual([true, false, true]);
  });

  it("take a lone surrogate as the replacement character", async () => {
    const expected = await embed([textOf("replacement character")]);
    expect(await embed(["bad = '\ud800'"])).toEqual(expected);
    expect(await embed(["bad = '\udfff'"])).toEqual(expected);
  });

  it.each([
    ["spaces", " "],
    ["one letter", "a"],
    ["code", "df = df.dropna()\n"],
    ["emoji", "🐍"],
    ["special tokens", "<mask>"],
    ["lone surrogates", "\udc00"],
  ])(`exist for ${LONG_TEXT_KB} KB of %s`, async (_, unit) => {
    const [vector] = await embed([`x${unit.repeat((LONG_TEXT_KB * 1024) / Buffer.byteLength(unit))}`]);
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 5);
  });

  it("of a quantised model do not depend on the other texts of the call", async () => {
    const model = await copyTiny();
    await cp(TINY_INT8, join(model, "onnx/model_quantized.onnx"));
    const texts = cases.map(({ text }) => text);
    const together = await embed(texts, { model });
    for (const [i, text] of texts.entries()) expect(await embed([text], { model })).toEqual([together[i]]);
    // The vectors are near PyTorch's but not equal, so the quantised file was used.
    const worst = Math.max(...cases.map(({ mean }, i) => distance(together[i], mean)));
    expect(worst).toBeGreaterThan(1e-4);
    expect(worst).toBeLessThan(0.1);
  });

  it("can be asked for by several callers at once, and again after close", async () => {
    const embedder = await createCodebertEmbedder({ model: TINY });
    const [a, b] = await Promise.all([embedder.embed(["x = 1"], "cell"), embedder.embed(["x = 1"], "query")]);
    await embedder.close();
    expect(a).toEqual(b);
    expect(await embedder.embed(["x = 1"], "cell")).toEqual(a);
  });
});

describe("codebert id", () => {
  const idOf = async (model: string, pooling?: "mean" | "cls") =>
    (await createCodebertEmbedder({ model, ...(pooling && { pooling }) })).id;

  it("names model, revision, pooling, window and preparation", async () => {
    expect(await idOf(TINY)).toMatch(/^codebert:tiny-roberta@[0-9a-f]{12}:mean:window-64:v1$/);
  });

  it("stays when the folder moves", async () => {
    const folder = await copyTiny();
    const before = await idOf(folder);
    await rename(folder, `${folder}-moved`);
    expect(await idOf(`${folder}-moved`)).toBe(before);
  });

  it("changes with the pooling", async () => {
    expect(await idOf(TINY, "cls")).toBe((await idOf(TINY)).replace(":mean:", ":cls:"));
  });

  it.each(["tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"])("changes with %s", async (file) => {
    const folder = await copyTiny();
    const before = await idOf(folder);
    await writeFile(join(folder, file), `${await readFile(join(folder, file), "latin1")} `, "latin1");
    expect(await idOf(folder)).not.toBe(before);
  });
});

describe("codebert errors", () => {
  it("name the command that installs the missing package", async () => {
    await expectUnavailable(
      createCodebertEmbedder({ model: TINY, packageNames: ["@xenova/not-installed"] }),
      "@xenova/not-installed",
      "npm install @xenova/transformers@2.17.2",
    );
  });

  it("name a package that is there but does not load", async () => {
    const embedder = await createCodebertEmbedder({ model: TINY, packageNames: ["zod"] });
    await expectUnavailable(embedder.embed(["x"], "cell"), "zod", "does not load", "npm install");
  });

  it("name the package that reads newer ONNX files, if the model has one", async () => {
    const folder = await copyTiny();
    const file = join(folder, "onnx/model.onnx");
    const content = await readFile(file);
    content[1] = 10;
    await writeFile(file, content);
    await expectUnavailable(
      createCodebertEmbedder({ model: folder, packageNames: ["@xenova/transformers"] }),
      "has ONNX IR 10",
      "npm install @huggingface/transformers",
    );
  });

  it("explain how to get a model that was not pulled", async () => {
    for (const model of ["codebert", "some/model"]) {
      const folder = join(scratch, "models", model.replace("/", "--"));
      await expectUnavailable(
        createCodebertEmbedder({ model, cacheFolder: scratch }),
        `(looked in ${folder}). Get it: celrec model pull ${model} --data ${scratch}`,
      );
    }
  });

  it("report a missing folder", async () => {
    await expectUnavailable(
      createCodebertEmbedder({ model: "./no/such/folder" }),
      "./no/such/folder",
      "celrec model pull codebert",
    );
  });

  it.each(["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"])(
    "name the missing %s",
    async (file) => {
      const folder = await copyTiny();
      await rm(join(folder, file));
      await expectUnavailable(
        createCodebertEmbedder({ model: folder }),
        folder,
        "lacks",
        file,
        "celrec model pull codebert",
      );
    },
  );

  it("name a file that cannot be read", async () => {
    const folder = await copyTiny();
    await rm(join(folder, "tokenizer.json"));
    await mkdir(join(folder, "tokenizer.json"));
    await expectUnavailable(createCodebertEmbedder({ model: folder }), folder, "EISDIR");
  });

  it("name all missing files at once", async () => {
    const folder = await mkdtemp(join(scratch, "empty-"));
    await expectUnavailable(
      createCodebertEmbedder({ model: folder }),
      "lacks config.json, tokenizer.json, tokenizer_config.json, one of onnx/model_quantized.onnx, onnx/model_int8.onnx, onnx/model.onnx;",
    );
  });

  it.each([
    ["config.json", "{"],
    ["config.json", '{"model_type": "bert", "hidden_size": 32, "max_position_embeddings": 66}'],
    ["config.json", "null"],
  ])("name a wrong %s: %s", async (file, content) => {
    const folder = await copyTiny();
    await writeFile(join(folder, file), content);
    await expectUnavailable(createCodebertEmbedder({ model: folder }), join(folder, file));
  });

  it.each([
    ["tokenizer.json", "{"],
    ["tokenizer.json", "{}"],
    ["tokenizer.json", "null"],
    ["tokenizer.json", '{"model": {"type": "BPE", "vocab": {}, "merges": []}, "added_tokens": []}'],
    ["tokenizer_config.json", "not JSON"],
    ["onnx/model.onnx", "version https://git-lfs.github.com/spec/v1"],
    ["onnx/model.onnx", ""],
  ])("name a corrupt %s: %s", async (file, content) => {
    const folder = await copyTiny();
    await writeFile(join(folder, file), content);
    const embedder = await createCodebertEmbedder({ model: folder });
    await expectUnavailable(embedder.embed(["x"], "cell"), join(folder, file));
  });

  it("name a truncated network, and disappear when the file is complete", async () => {
    const folder = await copyTiny();
    await truncate(join(folder, "onnx/model.onnx"), 100_000);
    const embedder = await createCodebertEmbedder({ model: folder });
    await expectUnavailable(embedder.embed(["x"], "cell"), join(folder, "onnx/model.onnx"));
    await cp(join(TINY, "onnx/model.onnx"), join(folder, "onnx/model.onnx"));
    expect(await embedder.embed(["x"], "cell")).toEqual(await embed(["x"]));
  });

  it.each([
    ["hidden_size", 48],
    ["max_position_embeddings", 130],
  ])("name the network when config.json promises another %s", async (key, value) => {
    const folder = await copyTiny();
    const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
    await writeFile(join(folder, "config.json"), JSON.stringify({ ...config, [key]: value }));
    const embedder = await createCodebertEmbedder({ model: folder });
    await expectUnavailable(embedder.embed(["a ".repeat(200)], "cell"), join(folder, "onnx/model.onnx"));
  });
});

describe("loadTokenizer", () => {
  it.each(cases)("gives the ids of the Python tokenizer: $name", async ({ text, ids }) => {
    expect((await loadTokenizer(TINY)).encode(text)).toEqual(ids);
  });

  it("reads merges that are written as pairs", async () => {
    const folder = await copyTiny();
    const json = JSON.parse(await readFile(join(folder, "tokenizer.json"), "utf8"));
    json.model.merges = json.model.merges.map((merge: string) => merge.split(" "));
    await writeFile(join(folder, "tokenizer.json"), JSON.stringify(json));
    expect((await loadTokenizer(folder)).encode(textOf("cell"))).toEqual(
      cases.find(({ name }) => name === "cell")!.ids,
    );
  });
});

const source = join(sharedData, "roberta-tokenizer");

describe.skipIf(!requires("shared", existsSync(source), `vocab.json and merges.txt of roberta-base in ${source}`))(
  "loadTokenizer with roberta-base",
  () => {
    let folder: string;
    beforeAll(async () => {
      folder = join(scratch, "roberta-base");
      await mkdir(folder);
      const vocab = JSON.parse(await readFile(join(source, "vocab.json"), "utf8"));
      const merges = (await readFile(join(source, "merges.txt"), "utf8")).trimEnd().split("\n").slice(1);
      const special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"].map((content) => ({
        id: vocab[content],
        content,
        single_word: false,
        lstrip: content === "<mask>",
        rstrip: false,
        normalized: false,
        special: true,
      }));
      const json = {
        added_tokens: special,
        normalizer: null,
        pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true },
        post_processor: { type: "RobertaProcessing", sep: ["</s>", 2], cls: ["<s>", 0], add_prefix_space: false },
        decoder: { type: "ByteLevel" },
        model: { type: "BPE", vocab, merges },
      };
      await writeFile(join(folder, "tokenizer.json"), JSON.stringify(json));
      await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify({ pad_token: "<pad>" }));
    });

    it("gives RoBERTa's ids", async () => {
      const { start, end, encode } = await loadTokenizer(folder);
      expect([start, ...encode("def max(a,b):"), end]).toEqual([0, 9232, 19220, 1640, 102, 6, 428, 3256, 2]);
    });

    it("takes the spaces before <mask> with it, also when there are very many", async () => {
      const { encode } = await loadTokenizer(folder);
      expect(encode(`a${" ".repeat(200_000)}<mask>`)).toEqual([102, 50264]);
    });
  },
);
