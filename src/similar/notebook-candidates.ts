import type { MakeNewCells } from "../ingest/make-cells.js";
import type { NotebookCode } from "../ingest/read-content.js";
import { BUILTINS, KEYWORDS } from "../python/lex.js";
import { subwords } from "../python/subwords.js";
import type { VectorStore } from "../store/vector-store.js";

/** Maximum number of occurrences of a cell; more frequent cells do not characterise a notebook. */
const MAX_OCCURRENCES = 100;
/** Maximum number of candidates from each of the two searches. */
const MAX_CANDIDATES = 30;
const MAX_WORDS = 64;
const MIN_WORD_LENGTH = 3;
/**
 * Number of cells found by words, and the maximum that count per notebook. A higher maximum would favour long
 * notebooks.
 */
const MAX_WORD_HITS = 200;
const CELLS_PER_NOTEBOOK = 5;

type Votes = ReadonlyMap<string, number>;

/** Ids of notebooks with cells similar to the given ones, and of notebooks that use the same words. */
export async function findCandidates(
  steps: readonly Step[],
  store: VectorStore,
  excluded: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<string[]> {
  const placesOf = createPlaces(store, excluded);
  const votes = await Promise.all([voteByCells(steps, placesOf), voteByWords(steps, store, placesOf, signal)]);
  return [...new Set(votes.flatMap(topCandidates))];
}

/**
 * Votes for notebooks by cells. For each given cell, a notebook gets the highest weighted similarity of its own cells.
 */
async function voteByCells(steps: readonly Step[], placesOf: PlacesOf): Promise<Votes> {
  const places = await placesOf(steps.flatMap(({ alike: similarCells }) => [...similarCells.keys()]));
  const votes = new Map<string, number>();
  for (const { alike, weight } of steps) {
    const likest = new Map<string, number>();
    for (const [id, likeness] of alike)
      for (const notebook of places.get(id) ?? [])
        likest.set(notebook, Math.max(likest.get(notebook) ?? 0, likeness * weight));
    for (const [notebook, vote] of likest) votes.set(notebook, (votes.get(notebook) ?? 0) + vote);
  }
  return votes;
}

/** Votes for notebooks by the names that occur most often in the given cells. */
async function voteByWords(
  steps: readonly Step[],
  store: VectorStore,
  placesOf: PlacesOf,
  signal?: AbortSignal,
): Promise<Votes> {
  const cells = new Map<string, number>();
  for (const { code } of steps)
    for (const word of new Set(subwords(code))) if (isName(word)) cells.set(word, (cells.get(word) ?? 0) + 1);
  const words = [...cells].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).slice(0, MAX_WORDS);
  const weighted = new Map(words.map(([word, count]) => [word, 1 + Math.log2(count)]));
  const hits = words.length === 0 ? [] : await store.lexical({ words: weighted, k: MAX_WORD_HITS }, signal);
  const places = await placesOf((hits ?? []).map(({ id }) => id));
  const scores = new Map<string, number[]>();
  for (const { id, score } of hits ?? [])
    for (const notebook of new Set(places.get(id) ?? [])) {
      const counted = scores.get(notebook) ?? [];
      // The best hits come first, so only the best cells of a notebook count.
      if (counted.length < CELLS_PER_NOTEBOOK) scores.set(notebook, [...counted, score]);
    }
  return new Map([...scores].map(([notebook, counted]) => [notebook, counted.reduce((sum, score) => sum + score, 0)]));
}

function isName(word: string): boolean {
  return word.length >= MIN_WORD_LENGTH && /^\p{L}/u.test(word) && !KEYWORDS.has(word) && !BUILTINS.has(word);
}

type PlacesOf = (cells: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/** Looks up the notebooks of cells, each cell once. */
function createPlaces(store: VectorStore, excluded: ReadonlySet<string>): PlacesOf {
  const known = new Map<string, Promise<readonly string[]>>();
  const read = async (id: string) => {
    const occurrences = await store.occurrences(id, { limit: MAX_OCCURRENCES });
    return occurrences.map(({ notebook }) => notebook).filter((notebook) => !excluded.has(notebook));
  };
  return async (cells) => {
    for (const id of cells) if (!known.has(id)) known.set(id, read(id));
    return new Map(await Promise.all([...new Set(cells)].map(async (id) => [id, await known.get(id)!] as const)));
  };
}

function topCandidates(votes: Votes): string[] {
  return [...votes]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, MAX_CANDIDATES)
    .map(([id]) => id);
}

/** A code cell of the given notebook. */
export interface Step {
  readonly cellIndex: number;
  readonly code: string;
  /** The weight of the cell; higher for rare cells. */
  readonly weight: number;
  /** Ids of the equal and similar stored cells, with their similarity (1 if equal). */
  readonly alike: ReadonlyMap<string, number>;
}

const NEIGHBOURS = 8;
const MIN_SIMILARITY = 0.6;
const MAX_CELLS = 300;

/** Finds the nearest stored cells of each storable cell. Vectors in the store are reused. */
export async function findSteps(
  { cells }: NotebookCode,
  store: VectorStore,
  make: MakeNewCells,
  signal?: AbortSignal,
): Promise<Step[]> {
  const firstCells = cells.slice(0, MAX_CELLS);
  const distinct = [...new Map(firstCells.map((cell) => [cell.id, cell])).values()];
  const ids = distinct.map(({ id }) => id);
  const [stored, places] = await Promise.all([store.vectors(ids, signal), store.provenance(ids, undefined, signal)]);
  const missing = distinct.filter(({ id }) => !stored.has(id));
  const newCells = missing.length === 0 ? new Map() : await make(missing, signal);
  const vectorOf = (id: string): Float32Array | null => {
    const cell = newCells.get(id);
    return stored.get(id) ?? (cell === undefined || typeof cell === "string" ? null : cell.vector);
  };
  const steps = await Promise.all(
    firstCells.map(async ({ cellIndex, id, code }) => {
      const vector = vectorOf(id);
      if (vector === null) return null;
      const hits = await store.search({ vector, k: NEIGHBOURS }, signal);
      const alike = new Map(hits.filter(({ score }) => score >= MIN_SIMILARITY).map((hit) => [hit.id, hit.score]));
      const count = places.get(id)?.count ?? 0;
      if (count > 0) alike.set(id, 1);
      return { cellIndex, code, weight: 1 / Math.log2(2 + count), alike };
    }),
  );
  return steps.filter((step) => step !== null);
}
