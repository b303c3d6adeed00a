import { createHash } from "node:crypto";
import { afterEach, expect, vi } from "vitest";
import type {
  Hit,
  IndexIdentity,
  LabelFilter,
  NewCell,
  Notebook,
  StoredCell,
  VectorStore,
} from "../../../src/store/vector-store.js";

/** Where an index lives: a folder, or a name on a server. A place can be opened again and again. */
export interface StorePlace {
  readonly open: (identity: IndexIdentity) => VectorStore;
  readonly drop: () => Promise<void>;
}

export type CreatePlace = () => StorePlace | Promise<StorePlace>;

export const IDENTITY: IndexIdentity = {
  embedder: "test-embedder@1",
  dimensions: 4,
  labeller: "test-rules@1",
  labels: ["load", "plot", "train"],
};

/** Gives each test a fresh place; closes every store opened there and drops the place when the test is over. */
export function usePlaces(createPlace: CreatePlace) {
  const opened: VectorStore[] = [];
  const places: StorePlace[] = [];
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    for (const place of places.splice(0)) await place.drop();
  });
  const newPlace = async () => {
    const place = await createPlace();
    places.push(place);
    return {
      open: (identity: IndexIdentity = IDENTITY) => {
        const store = place.open(identity);
        opened.push(store);
        return store;
      },
    };
  };
  return { newPlace, newStore: async () => (await newPlace()).open() };
}

export const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** The clean text differs from the code, which reveals a store that confuses them. */
export function cell(code: string, vector: readonly number[] = [1, 0, 0, 0], labels: readonly string[] = []): NewCell {
  return {
    id: sha(code),
    code,
    clean: `${code}\npass`,
    labels: IDENTITY.labels.filter((label) => labels.includes(label)),
    primary: labels[0] ?? null,
    vector: Float32Array.from(vector),
  };
}

export function stored({ id, code, clean, labels, primary }: NewCell): StoredCell {
  return { id, code, clean, labels, primary };
}

/** A notebook, and the cells that the test provides for it. */
export interface NotebookWrite {
  readonly notebook: Notebook;
  readonly cells: readonly NewCell[];
}

/** Writes notebooks. Cells that the store lacks are made only if the test provides them. */
export function put(store: VectorStore, writes: readonly NotebookWrite[]) {
  const cells = new Map(writes.flatMap((write) => write.cells.map((cell) => [cell.id, cell] as const)));
  return store.write(
    writes.map((write) => write.notebook),
    async (wanted) => wanted.flatMap((id) => cells.get(id) ?? []),
  );
}

/** A notebook with these cells at 0, 2, 4, ... and Markdown cells in between. */
export function notebook(name: string, cells: readonly NewCell[], version = "v1", skipped = 0): NotebookWrite {
  const positions = cells.map(({ id }, index) => ({ cellIndex: 2 * index, id }));
  const facts = { location: `/corpus/${name}` };
  return {
    notebook: { id: sha(name), source: "corpus", name, version: sha(version), skipped, cells: positions, facts },
    cells,
  };
}

/** The expected description of a cell of such a notebook. */
export const occurrence = (name: string, cellIndex: number) => ({
  notebook: sha(name),
  source: "corpus",
  name,
  cellIndex,
  facts: { location: `/corpus/${name}` },
});

export const summary = ({ id, source, name, skipped, cells }: Notebook) => ({
  id,
  source,
  name,
  skipped,
  cells: cells.length,
});

export const ids = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

export const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

/** Waits for the store's maximum staleness, which is 0 for strong stores. */
export async function expectSoon(store: VectorStore, read: () => Promise<unknown>, expected: unknown): Promise<void> {
  if (store.stalenessMs === 0) expect(await read()).toEqual(expected);
  else {
    // Cells of a removed notebook are invisible at once, but their rows are deleted later.
    const timeout = store.stalenessMs + 60_000;
    await vi.waitFor(async () => expect(await read()).toEqual(expected), { timeout, interval: 100 });
  }
}

/** The exact answer by brute force: all passing cells, ordered by (score, id). */
export function expectedHits(cells: readonly NewCell[], vector: Float32Array, k: number, filter?: LabelFilter): Hit[] {
  return cells
    .filter((candidate) => passes(candidate, filter))
    .map(({ id, vector: other }) => ({ id, score: cosine(vector, other) }))
    .sort((a, b) => b.score - a.score || byId(a, b))
    .slice(0, k);
}

export function expectHits(found: readonly Hit[], expected: readonly Hit[]): void {
  expect(ids(found)).toEqual(ids(expected));
  for (const [rank, { score }] of found.entries()) expect(Math.abs(score - expected[rank]!.score)).toBeLessThan(1e-6);
}

/** Random numbers that are the same in every run (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomCells(count: number, random: () => number, labels: readonly string[] = []): NewCell[] {
  return Array.from({ length: count }, (_, index) =>
    cell(`random(${index}, ${labels})`, [random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5], labels),
  );
}

function passes({ labels, primary }: NewCell, filter?: LabelFilter): boolean {
  if (filter === undefined) return true;
  if (labels.length === 0) return filter.unlabelled;
  const own = filter.field === "primary" ? [primary] : labels;
  return own.some((label) => label !== null && filter.any.includes(label));
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (left: Float32Array, right: Float32Array) => left.reduce((sum, value, at) => sum + value * right[at]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
