import type { MakeNewCells } from "../ingest/make-cells.js";
import type { NotebookCode } from "../ingest/read-content.js";
import { BUILTINS, KEYWORDS } from "../python/lex.js";
import type { Notebook, NotebookFacts, StoredCell, VectorStore } from "../store/vector-store.js";
import { findCandidates, findSteps, type Step } from "./notebook-candidates.js";

interface SimilarDeps {
  readonly store: VectorStore;
  readonly make: MakeNewCells;
  /** Weight of the words in the score; the cells have the remaining weight. */
  readonly wordShare?: number;
}

interface SimilarNotebook {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  readonly facts: NotebookFacts;
  /** From 0 to 1: shared cells, their order, and shared words. */
  readonly score: number;
  /** Equal cells and similar cells, by their positions in the files. */
  readonly shared: readonly { readonly cellIndex: number; readonly theirs: number; readonly likeness: number }[];
  /** Number of pairs in `shared` that are in the same order in both notebooks. */
  readonly inOrder: number;
  /** The tasks of those cells of the found notebook that have no counterpart, in order. */
  readonly theirSteps: readonly string[];
}

interface SimilarOptions {
  readonly k: number;
  /** Ids of notebooks to leave out. */
  readonly exclude?: readonly string[];
  /** Also leave out the notebook at this location. */
  readonly location?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Weight of the order of the cells; the similarity of the cells has the remaining weight. */
const ORDER_SHARE = 0.2;
/** Default of `wordShare`. It is large, because the halves of a notebook share few cells, but most names. */
const WORD_SHARE = 0.6;

/**
 * Finds the stored notebooks most similar to a given one: by equal and similar cells, by the order of these cells, and
 * by the words.
 */
export function createSimilarNotebooks({ store, make, wordShare = WORD_SHARE }: SimilarDeps) {
  return async (
    code: NotebookCode,
    { k, exclude = [], location, signal }: SimilarOptions,
  ): Promise<SimilarNotebook[]> => {
    const steps = await findSteps(code, store, make, signal);
    const candidates = await findCandidates(steps, store, new Set(exclude), signal);
    const read = await Promise.all(candidates.map((id) => store.notebook(id)));
    const notebooks = read
      .filter((each) => each !== null)
      .filter(({ facts }) => location === undefined || facts.location !== location);
    const ids = new Set(notebooks.flatMap(({ cells }) => cells.map(({ id }) => id)));
    const cells = new Map((await store.cells([...ids], signal)).map((cell) => [cell.id, cell]));
    const mine = countWords(steps.map((step) => step.code));
    const theirs = notebooks.map((notebook) =>
      countWords(notebook.cells.flatMap(({ id }) => cells.get(id)?.code ?? [])),
    );
    // A notebook without words is compared by its cells alone.
    const share = mine.size === 0 ? 0 : wordShare;
    const likeness = createWordLikeness([mine, ...theirs]);
    return notebooks
      .map((notebook, at) => {
        const compared = compareNotebooks(steps, notebook);
        const score = (1 - share) * compared.alignment + share * likeness(mine, theirs[at]!);
        return { ...compared, notebook, score };
      })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || (one.notebook.id < other.notebook.id ? -1 : 1))
      .slice(0, k)
      .map((each) => toSimilarNotebook(each, steps, cells));
  };
}

interface Compared {
  readonly pairs: readonly Pair[];
  /** From 0 to 1. */
  readonly alignment: number;
  readonly inOrder: number;
}

function compareNotebooks(steps: readonly Step[], notebook: Notebook): Compared {
  const pairs = matchCells(
    steps.flatMap(({ alike }, here) =>
      notebook.cells.flatMap(({ id }, there) => {
        const likeness = alike.get(id);
        return likeness === undefined ? [] : [{ here, there, likeness }];
      }),
    ),
  );
  const inOrder = countInOrder(pairs);
  const matched = pairs.reduce((sum, { here, likeness }) => sum + likeness * steps[here]!.weight, 0);
  const all = steps.reduce((sum, { weight }) => sum + weight, 0);
  const mine = all === 0 ? 0 : matched / all;
  const theirs = Math.min(1, pairs.length / Math.max(1, notebook.cells.length));
  const order = pairs.length === 0 ? 0 : inOrder / pairs.length;
  // A weighted mean instead of a product, because one notebook may be half of the other. Then all of its cells have a
  // counterpart, but only half of the other's cells have one.
  const alignment = ((2 * mine + theirs) / 3) * (1 - ORDER_SHARE + ORDER_SHARE * order);
  return { pairs, inOrder, alignment };
}

function toSimilarNotebook(
  { notebook, pairs, score, inOrder }: Omit<Compared, "alignment"> & { notebook: Notebook; score: number },
  steps: readonly Step[],
  cells: ReadonlyMap<string, StoredCell>,
): SimilarNotebook {
  const matched = new Set(pairs.map(({ there }) => there));
  const rest = notebook.cells.filter((_, place) => !matched.has(place));
  const { id, source, name, facts } = notebook;
  return {
    id,
    source,
    name,
    facts,
    score: Math.min(1, score),
    shared: pairs.map(({ here, there, likeness }) => ({
      cellIndex: steps[here]!.cellIndex,
      theirs: notebook.cells[there]!.cellIndex,
      likeness,
    })),
    inOrder,
    theirSteps: rest.flatMap((cell) => cells.get(cell.id)?.primary ?? []),
  };
}

/** A cell of one notebook and the most similar cell of another; positions count code cells from 0. */
interface Pair {
  readonly here: number;
  readonly there: number;
  /** 1 if the cells are equal, else their cosine. */
  readonly likeness: number;
}

/** Greedy matching: most similar pairs first, each cell once; ties go to the earlier cells. */
export function matchCells(pairs: readonly Pair[]): Pair[] {
  const best = [...pairs].sort(
    (one, other) => other.likeness - one.likeness || one.here - other.here || one.there - other.there,
  );
  const [here, there] = [new Set<number>(), new Set<number>()];
  return best
    .filter((pair) => {
      if (here.has(pair.here) || there.has(pair.there)) return false;
      here.add(pair.here);
      there.add(pair.there);
      return true;
    })
    .sort((one, other) => one.here - other.here);
}

/** Length of the longest increasing subsequence: how many pairs are in the same order on both sides. */
export function countInOrder(pairs: readonly Pair[]): number {
  // ends[n] is the smallest end of an increasing subsequence of length n + 1.
  const ends: number[] = [];
  for (const { there } of pairs) {
    const place = ends.findIndex((end) => end >= there);
    if (place === -1) ends.push(there);
    else ends[place] = there;
  }
  return ends.length;
}

/** How often each word occurs in a notebook: whole identifiers, and words of strings and comments. */
type WordCounts = ReadonlyMap<string, number>;

const WORD = /[\p{L}_][\p{L}\p{N}_]+/gu;

export function countWords(codes: readonly string[]): WordCounts {
  const counts = new Map<string, number>();
  for (const code of codes)
    for (const word of code.match(WORD) ?? [])
      if (!KEYWORDS.has(word) && !BUILTINS.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Cosine of TF-IDF vectors, from 0 to 1; document frequencies are those of the given notebooks. */
export function createWordLikeness(all: readonly WordCounts[]): (one: WordCounts, other: WordCounts) => number {
  const notebooksByWord = new Map<string, number>();
  for (const counts of all)
    for (const word of counts.keys()) notebooksByWord.set(word, (notebooksByWord.get(word) ?? 0) + 1);
  const rarity = (word: string) => {
    const count = notebooksByWord.get(word) ?? 0;
    return Math.log(1 + (all.length - count + 0.5) / (count + 0.5));
  };
  const weigh = (counts: WordCounts) =>
    new Map([...counts].map(([word, count]) => [word, (1 + Math.log(count)) * rarity(word)]));
  const known = new Map<WordCounts, ReadonlyMap<string, number>>();
  const weightsOf = (counts: WordCounts) => {
    const weights = known.get(counts) ?? weigh(counts);
    known.set(counts, weights);
    return weights;
  };
  return (one, other) => {
    const [a, b] = [weightsOf(one), weightsOf(other)];
    let product = 0;
    for (const [word, weight] of a) product += weight * (b.get(word) ?? 0);
    // A single square root for both norms, so that equal words give exactly 1.
    return product === 0 ? 0 : Math.min(1, product / Math.sqrt(sumOfSquares(a) * sumOfSquares(b)));
  };
}

function sumOfSquares(weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const weight of weights.values()) sum += weight * weight;
  return sum;
}
