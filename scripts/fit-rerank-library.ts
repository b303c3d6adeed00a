import { strip } from "../src/clean/strip.js";
import { subwords } from "../src/clean/subwords.js";
import type { Embedder } from "../src/embed/embedder.js";
import type { QueryVectors } from "../src/recommend/features/compare.js";
import { type CellProfile, profileCell } from "../src/recommend/features/profile.js";
import { mixVectors } from "../src/recommend/mix-vectors.js";
import { createBestRows } from "../src/store/best-rows.js";
import { createLexicalIndex } from "../src/store/lexical-index.js";

export interface LibraryCell {
  readonly code: string;
  readonly vector: Float32Array;
  readonly profile: CellProfile;
}

export interface LibraryQuery {
  readonly code: string;
  readonly before: readonly string[];
  readonly markdown: string;
}

/** Candidates taken from each search. */
const POOL = 50;
/** What words of the context count in the lexical search. */
const CONTEXT_WORDS = 0.25;

/** Cells in memory, searched as the recommender searches its store: nearest vectors and BM25, both without and with context. */
export async function createLibrary(embedder: Embedder, codes: Iterable<string>) {
  const cells: LibraryCell[] = [];
  const lexical = createLexicalIndex();
  for (const code of new Set(codes)) {
    const [vector] = await embedder.embed([strip(code).text], "cell");
    if (!vector) continue;
    lexical.add(cells.length, subwords(code));
    cells.push({ code, vector, profile: profileCell(code) });
  }

  return { cells, embedQuery, findCandidates };

  async function embedQuery({ code, before, markdown }: LibraryQuery): Promise<Required<QueryVectors>> {
    // A query of comments alone says in words what is to come, as Markdown does.
    const clean = strip(code).text || code;
    const texts = [clean, strip(before.at(-1) ?? "").text, markdown];
    const [own, above, text] = await embedder.embed(texts, "query");
    return { code: own ?? null, before: above ?? null, markdown: text ?? null };
  }

  function findCandidates(query: LibraryQuery, vectors: Required<QueryVectors>): number[] {
    const words = countWords([[query.code, 1]]);
    const rows = new Set([...nearest(vectors.code), ...search(words)]);
    if (vectors.before === null && vectors.markdown === null) return [...rows];
    const context = [query.before.at(-1) ?? "", query.markdown].map((text) => [text, CONTEXT_WORDS] as const);
    for (const row of nearest(mixVectors(vectors.code, [vectors.before, vectors.markdown]))) rows.add(row);
    for (const row of search(countWords([[query.code, 1], ...context]))) rows.add(row);
    return [...rows];
  }

  function nearest(vector: Float32Array | null): number[] {
    if (vector === null) return [];
    const best = createBestRows(POOL);
    for (const [row, cell] of cells.entries()) {
      let score = 0;
      for (let at = 0; at < vector.length; at += 1) score += vector[at]! * cell.vector[at]!;
      if (score > best.worst) best.offer(row, score);
    }
    return best.sorted().map(({ row }) => row);
  }

  function search(words: ReadonlyMap<string, number>): number[] {
    return lexical.search({ words, k: POOL }).map(({ row }) => row);
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
