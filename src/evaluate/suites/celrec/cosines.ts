import type { Embedder } from "../../../embed/embedder.js";
import { strip } from "../../../python/strip.js";
import { pairCosines } from "../../metrics/diversity.js";

/** How alike the cells are that were shown together, by this project's own embedder; every text is embedded once. */
export function createCosines(embedder: Embedder): (codes: readonly string[]) => Promise<number[]> {
  const vectors = new Map<string, Float32Array | null>();
  return async (codes) => {
    const texts = codes.map((code) => strip(code).text);
    const unknown = [...new Set(texts.filter((text) => !vectors.has(text)))];
    const embedded = await embedder.embed(unknown, "cell");
    for (const [at, text] of unknown.entries()) vectors.set(text, embedded[at] ?? null);
    return pairCosines(texts.map((text) => vectors.get(text)!));
  };
}
