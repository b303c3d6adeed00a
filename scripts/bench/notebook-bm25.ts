// The baseline of `measure-similar`: BM25 over whole notebooks as texts.
import type { NamedNotebook, NotebookFile } from "../../src/notebook/notebook.js";
import { subwords } from "../../src/python/subwords.js";

const K1 = 1.2;
const B = 0.75;

/** Finds the names of the k best. */
export function createNotebookBm25(stored: readonly NamedNotebook[], k: number) {
  const bags = stored.map(({ notebook }) => countWords(notebook));
  const lengths = bags.map((counts) => [...counts.values()].reduce((sum, count) => sum + count, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const held = new Map<string, number>();
  for (const counts of bags) for (const word of counts.keys()) held.set(word, (held.get(word) ?? 0) + 1);
  const rarity = (word: string) => Math.log(1 + (bags.length - held.get(word)! + 0.5) / (held.get(word)! + 0.5));
  return async (asked: NotebookFile): Promise<string[]> => {
    const words = [...countWords(asked).keys()];
    const scores = bags.map((counts, at) => {
      const norm = K1 * (1 - B + (B * lengths[at]!) / mean);
      const parts = words.map((word) => {
        const count = counts.get(word) ?? 0;
        return count === 0 ? 0 : (rarity(word) * count * (K1 + 1)) / (count + norm);
      });
      return { name: stored[at]!.name, score: parts.reduce((sum, part) => sum + part, 0) };
    });
    return scores
      .sort((one, other) => other.score - one.score)
      .slice(0, k)
      .map(({ name }) => name);
  };
}

function countWords({ cells }: NotebookFile): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of cells.filter(({ type }) => type === "code").flatMap(({ source }) => subwords(source)))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
