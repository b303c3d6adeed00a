import type { MakeNewCells } from "../ingest/make-cells.js";
import type { NotebookCode } from "../ingest/read-content.js";
import type { Notebook, NotebookFacts, VectorStore } from "../store/vector-store.js";
import { countInOrder, matchCells, type Pair } from "./align.js";

export interface SimilarDeps {
  readonly store: VectorStore;
  readonly make: MakeNewCells;
}

export interface SimilarNotebook {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  readonly facts: NotebookFacts;
  /** From 0 to 1: how much of both the two share, in the same order. */
  readonly score: number;
  /** Cells that are the same, and cells that are alike, by their positions in the files. */
  readonly shared: readonly { readonly cellIndex: number; readonly theirs: number; readonly likeness: number }[];
  /** How many of those come in the same order. */
  readonly inOrder: number;
  /** The tasks of their cells that have no counterpart here, in their order. */
  readonly theirSteps: readonly string[];
}

/** Nobody's notebook is found by what stands in all of them. */
const MOST_OCCURRENCES = 100;
const NEIGHBOURS = 8;
const LEAST_LIKENESS = 0.6;
/** Notebooks that are looked at as a whole. */
const CANDIDATES = 30;
const MOST_CELLS = 300;
/** What the order of the steps counts; the rest is for what they are. */
const ORDER_SHARE = 0.2;

interface Step {
  readonly cellIndex: number;
  readonly id: string;
  /** Rare cells tell more than common ones. */
  readonly weight: number;
  readonly alike: ReadonlyMap<string, number>;
}

/** The stored notebooks most like a whole one: by the cells they share and the nearest of the rest, and by their order. */
export function createSimilarNotebooks({ store, make }: SimilarDeps) {
  return async (
    code: NotebookCode,
    {
      k,
      exclude = [],
      signal,
    }: { readonly k: number; readonly exclude?: readonly string[]; readonly signal?: AbortSignal },
  ): Promise<SimilarNotebook[]> => {
    const steps = await findSteps(code, store, make, signal);
    const votes = await countVotes(steps, store, new Set(exclude));
    const candidates = [...votes].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).slice(0, CANDIDATES);
    const notebooks = await Promise.all(candidates.map(([id]) => store.notebook(id)));
    const compared = notebooks.filter((each) => each !== null).map((notebook) => compare(steps, notebook));
    const best = compared
      .sort((one, other) => other.score - one.score || (one.notebook.id < other.notebook.id ? -1 : 1))
      .slice(0, k);
    return Promise.all(best.map((each) => describe(each, steps, store)));
  };
}

async function findSteps(
  { cells }: NotebookCode,
  store: VectorStore,
  make: MakeNewCells,
  signal: AbortSignal | undefined,
): Promise<Step[]> {
  const some = cells.slice(0, MOST_CELLS);
  const made = await make([...new Map(some.map((cell) => [cell.id, cell])).values()], signal);
  const places = await store.provenance([...made.keys()], undefined, signal);
  const steps = await Promise.all(
    some.map(async ({ cellIndex, id }) => {
      const cell = made.get(id)!;
      if (typeof cell === "string") return null;
      const hits = await store.search({ vector: cell.vector, k: NEIGHBOURS }, signal);
      const alike = new Map(hits.filter(({ score }) => score >= LEAST_LIKENESS).map((hit) => [hit.id, hit.score]));
      const count = places.get(id)?.count ?? 0;
      if (count > 0) alike.set(id, 1);
      return { cellIndex, id, weight: 1 / Math.log2(2 + count), alike };
    }),
  );
  return steps.filter((step) => step !== null);
}

/** For each notebook, what its likest cells are to each step. */
async function countVotes(steps: readonly Step[], store: VectorStore, excluded: ReadonlySet<string>) {
  const ids = [...new Set(steps.flatMap(({ alike }) => [...alike.keys()]))];
  const places = new Map(
    await Promise.all(ids.map(async (id) => [id, await store.occurrences(id, { limit: MOST_OCCURRENCES })] as const)),
  );
  const votes = new Map<string, number>();
  for (const { alike, weight } of steps) {
    const best = new Map<string, number>();
    for (const [id, likeness] of alike)
      for (const { notebook } of places.get(id) ?? [])
        if (!excluded.has(notebook)) best.set(notebook, Math.max(best.get(notebook) ?? 0, likeness * weight));
    for (const [notebook, vote] of best) votes.set(notebook, (votes.get(notebook) ?? 0) + vote);
  }
  return votes;
}

interface Compared {
  readonly notebook: Notebook;
  readonly pairs: readonly Pair[];
  readonly score: number;
  readonly inOrder: number;
}

function compare(steps: readonly Step[], notebook: Notebook): Compared {
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
  // Half of a notebook is all of the one and half of the other: the mean in between forgives that, a product would not.
  return { notebook, pairs, inOrder, score: ((2 * mine + theirs) / 3) * (1 - ORDER_SHARE + ORDER_SHARE * order) };
}

async function describe(
  { notebook, pairs, score, inOrder }: Compared,
  steps: readonly Step[],
  store: VectorStore,
): Promise<SimilarNotebook> {
  const matched = new Set(pairs.map(({ there }) => there));
  const rest = notebook.cells.filter((_, place) => !matched.has(place)).map(({ id }) => id);
  const labels = new Map((await store.cells([...new Set(rest)])).map(({ id, primary }) => [id, primary]));
  const { id, source, name, facts } = notebook;
  return {
    id,
    source,
    name,
    facts,
    score,
    shared: pairs.map(({ here, there, likeness }) => ({
      cellIndex: steps[here]!.cellIndex,
      theirs: notebook.cells[there]!.cellIndex,
      likeness,
    })),
    inOrder,
    theirSteps: rest.flatMap((cell) => labels.get(cell) ?? []),
  };
}
