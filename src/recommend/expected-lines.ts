import type { Embedder } from "../embed/embedder.js";
import type { VectorStore } from "../store/vector-store.js";

/** A line that probably comes next, in the user's names, with its probability. */
export interface ExpectedLine {
  readonly text: string;
  readonly confidence: number;
}

interface ExpectedCellsDeps {
  readonly store: VectorStore;
  readonly embedder: Embedder;
}

/** Number of stored cells retrieved for each expected line. */
const CELLS_PER_LINE = 6;

/** Ids of stored cells that are similar to the expected lines. */
export async function findExpectedCells(
  { store, embedder }: ExpectedCellsDeps,
  expected: readonly ExpectedLine[],
  signal?: AbortSignal,
): Promise<string[]> {
  if (expected.length === 0) return [];
  const texts = expected.map(({ text }) => text);
  const vectors = await embedder.embed(texts, "cell", signal);
  const found = await Promise.all(
    vectors.map((vector) => (vector === null ? [] : store.search({ vector, k: CELLS_PER_LINE }))),
  );
  return [...new Set(found.flat().map(({ id }) => id))];
}

/**
 * The probability that a cell, in the user's names, starts as expected. Leading imports and comments are skipped, since
 * the notebook may already have them.
 */
export function createExpectedCheck(expected: readonly ExpectedLine[]): (adapted: string) => number {
  const chances = new Map(expected.map(({ text, confidence }) => [normalize(text), confidence]));
  return (adapted) => {
    const lines = adapted.split("\n").map((line) => line.trim());
    const first = lines.find((line) => line !== "" && !/^(?:#|import |from )/.test(line));
    return first === undefined ? 0 : (chances.get(normalize(first)) ?? 0);
  };
}

/** A key that is equal for lines that differ only in white space, quotes or a trailing comment. */
function normalize(line: string): string {
  return line
    .replace(/\s+#.*$/, "")
    .replaceAll('"', "'")
    .replace(/\s+/g, "");
}
