import { dot, type Embedder } from "../src/embed/embedder.js";
import { profileCell } from "../src/python/profile.js";
import { strip } from "../src/python/strip.js";
import { subwords } from "../src/python/subwords.js";
import { mixVectors, type QueryVectors } from "../src/recommend/features/compare-cells.js";
import { SIMILAR_CELLS } from "../src/recommend/next-cells.js";
import { CONTEXT_WORDS } from "../src/recommend/query.js";
import { createBestRows } from "../src/store/best-rows.js";
import { createLexicalIndex } from "../src/store/lexical-index.js";
import { packProfile } from "../src/store/profile-pack.js";
import { MAX_NEXT_CELLS } from "../src/store/vector-store.js";

interface LibraryCell {
  readonly code: string;
  readonly vector: Float32Array;
  readonly profile: Uint8Array;
}

export interface LibraryQuery {
  readonly code: string;
  readonly before: readonly string[];
  readonly markdown: string;
}

/** Number of candidates from each search. */
const POOL_SIZE = 50;

/**
 * Cells in memory, searched as the recommender searches its store (nearest vectors and BM25), both with and without
 * the context: more candidates give more training data.
 */
export async function createLibrary(embedder: Embedder, codes: Iterable<string>, notebooks: readonly string[][] = []) {
  const cells: LibraryCell[] = [];
  const lexical = createLexicalIndex();
  for (const code of new Set(codes)) {
    const [vector] = await embedder.embed([strip(code).text], "cell");
    if (!vector) continue;
    lexical.add(cells.length, subwords(code));
    cells.push({ code, vector, profile: packProfile(profileCell(code)) });
  }

  const rowOf = new Map(cells.map(({ code }, row) => [code, row]));
  const nextCells = new Map<number, Set<number>>();
  for (const notebook of notebooks) {
    const rows = notebook.flatMap((code) => rowOf.get(code) ?? []);
    for (const [at, row] of rows.slice(0, -1).entries()) {
      nextCells.set(row, (nextCells.get(row) ?? new Set()).add(rows[at + 1]!));
    }
  }

  return { cells, embedQuery, findCandidates, findFollowing };

  async function embedQuery({ code, before, markdown }: LibraryQuery): Promise<Required<QueryVectors>> {
    // A query that is only comments describes the code in words, as Markdown does.
    const clean = strip(code).text || code;
    const texts = [clean, strip(before.at(-1) ?? "").text, markdown];
    const [own, above, text] = await embedder.embed(texts, "query");
    return { code: own ?? null, before: above ?? null, markdown: text ?? null };
  }

  function findCandidates({ code, before, markdown }: LibraryQuery, vectors: Required<QueryVectors>): number[] {
    const context = [before.at(-1) ?? "", markdown].map((text) => [text, CONTEXT_WORDS] as const);
    const mixed = mixVectors(vectors.code, [vectors.before, vectors.markdown]);
    const alone = [...nearest(vectors.code), ...search(countWords([[code, 1]]))];
    return [...new Set([...alone, ...nearest(mixed), ...search(countWords([[code, 1], ...context]))])];
  }

  /** The cells that follow the cells most similar to `last`, with that similarity. */
  async function findFollowing(last: string): Promise<Map<number, number>> {
    const [vector] = await embedder.embed([strip(last).text], "cell");
    const following = new Map<number, number>();
    for (const row of nearest(vector ?? null, SIMILAR_CELLS)) {
      const likeness = dot(vector, cells[row]!.vector);
      for (const next of [...(nextCells.get(row) ?? [])].slice(0, MAX_NEXT_CELLS)) {
        following.set(next, Math.max(following.get(next) ?? 0, likeness));
      }
    }
    return following;
  }

  function nearest(vector: Float32Array | null, count = POOL_SIZE): number[] {
    if (vector === null) return [];
    const best = createBestRows(count);
    for (const [row, cell] of cells.entries()) {
      const score = dot(vector, cell.vector);
      if (score > best.worst) best.offer(row, score);
    }
    return best.sorted().map(({ row }) => row);
  }

  function search(words: ReadonlyMap<string, number>): number[] {
    return lexical.search({ words, k: POOL_SIZE }).map(({ row }) => row);
  }
}

export type Library = Awaited<ReturnType<typeof createLibrary>>;

function countWords(texts: readonly (readonly [string, number])[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [text, weight] of texts) {
    for (const word of new Set(subwords(text))) weights.set(word, (weights.get(word) ?? 0) + weight);
  }
  return weights;
}
