import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { assetPath } from "../src/config.js";
import type { Embedder } from "../src/embed/embedder.js";
import { createPiecesEmbedder } from "../src/embed/pieces.js";
import { createLabeller } from "../src/label/create-labeller.js";
import { profileCell } from "../src/python/profile.js";
import { subwords } from "../src/python/subwords.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const heldBytes = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

/** A cell of 60 KB with its own words, which are cached. */
function makeCell(number: number): string {
  const word = [...`${number}`].map((digit) => "abcdefghij"[Number(digit)]).join("");
  return Buffer.from(`rememberedforever${word} = readforever${word}()\n${"x = [1, 2, 3]\n".repeat(4_200)}`).toString();
}

describe("the remembered part of a cell", () => {
  const CELLS = 100;
  const RECENT = 40;
  let embedder: Embedder;
  const labeller = createLabeller();
  const words: string[] = [];

  beforeAll(async () => {
    embedder = await createPiecesEmbedder({ folder: assetPath("models/embedder") });
  });

  it.each<[string, (code: string) => unknown]>([
    ["the embedder", (code) => embedder.embed([code], "cell")],
    ["the labeller", (code) => labeller.label(code, "cell")],
    ["the rerank", (code) => profileCell(code)],
    ["an index of words", (code) => words.push(subwords(code)[0]!)],
  ])("by %s does not keep the cell itself", async (_, read) => {
    // Fills the bounded caches of tokens and profiles first.
    for (let number = 9_900; number < 9_900 + RECENT; number += 1) await read(makeCell(number));
    const before = heldBytes();
    for (let number = 1_000; number < 1_000 + CELLS; number += 1) await read(makeCell(number));
    // The cells together have 6 MB; a fifth of that is far more than their words.
    expect(heldBytes() - before).toBeLessThan(1_200_000);
  });
});
