import type { Embedder } from "../../src/embed/embedder.js";
import { strip } from "../../src/python/strip.js";
import { subwords } from "../../src/python/subwords.js";
import { makeQueries } from "./corpus.js";
import { readCorpus } from "./scale-corpus.js";

/** The queries for every size: prefixes of cells that are in the smallest index, too. */
export async function scaleQueries(smallest: number, count: number): Promise<string[]> {
  const cells: string[] = [];
  for await (const code of readCorpus(smallest)) cells.push(code);
  return makeQueries(cells, count);
}

export async function embedQueries(embedder: Embedder, queries: readonly string[]): Promise<Float32Array[]> {
  const texts = queries.map((code) => strip(code).text);
  return (await embedder.embed(texts, "query")).filter((vector) => vector !== null);
}

/** Each word of a query with its weight times its count. */
export function wordsOf(code: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const word of subwords(code)) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}
