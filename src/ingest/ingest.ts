import { setImmediate as nextTurn } from "node:timers/promises";
import { type Cell, extractCells, notebookId, notebookVersion } from "../cells/extract.js";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import type { NotebookFile } from "../notebook/notebook.js";
import type { NewCell, NotebookWrite, StoredCell, VectorStore } from "../store/vector-store.js";
import { prepareCell } from "./prepare.js";

/** After so many cells other requests get their turn: a server goes on answering while it takes in a large notebook. */
const CELLS_PER_TURN = 25;
const CELLS_PER_EMBEDDING = 256;

export interface IngestDeps {
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
}

export interface NamedNotebook {
  readonly name: string;
  readonly notebook: NotebookFile;
}

/** What became of a notebook. `new` and `duplicate` count its stored cells; `labels` counts them by label. */
export interface IngestReport {
  readonly id: string;
  readonly name: string;
  readonly cells: number;
  readonly new: number;
  readonly duplicate: number;
  readonly skipped: number;
  /** Whether an older version of the notebook was replaced. */
  readonly replaced: boolean;
  /** Whether the very same content was there already. */
  readonly unchanged: boolean;
  readonly labels: Readonly<Record<string, number>>;
}

export type Ingest = (notebooks: readonly NamedNotebook[]) => Promise<IngestReport[]>;

/**
 * The write path: a batch of notebooks is cleaned, labelled, embedded and stored. Only cells that the store does not have
 * are embedded, each once. When the promise resolves, the whole batch is stored; when it rejects, none of it or all of it is.
 */
export function createIngest({ embedder, labeller, store }: IngestDeps): Ingest {
  return async (notebooks) => {
    const batch = lastOfEachName(notebooks).map(({ name, notebook }) => {
      const cells = extractCells(notebook);
      return { id: notebookId(name), name, version: notebookVersion(cells), cells };
    });
    const before = await Promise.all(batch.map(({ id }) => store.notebook(id)));
    const prepared = await prepareAll(
      batch.flatMap(({ cells }) => cells),
      labeller,
    );
    const fresh = await embedNew(prepared, embedder, store);

    const owned = new Set<string>();
    const writes: NotebookWrite[] = [];
    const reports = batch.map(({ id, name, version, cells }, place): IngestReport => {
      const kept = cells.filter((cell) => prepared.get(cell.id) != null);
      const added = unique(kept.map((cell) => cell.id)).filter((cell) => fresh.has(cell) && !owned.has(cell));
      for (const cell of added) owned.add(cell);
      const old = before[place] ?? null;
      const skipped = cells.length - kept.length;
      const unchanged = old !== null && old.version === version && old.skipped === skipped && added.length === 0;
      if (!unchanged) {
        const places = kept.map(({ cellIndex, id: cell }) => ({ cellIndex, id: cell }));
        writes.push({
          notebook: { id, name, version, skipped, cells: places },
          cells: added.map((cell) => fresh.get(cell)!),
        });
      }
      return {
        id,
        name,
        cells: kept.length,
        new: added.length,
        duplicate: kept.length - added.length,
        skipped,
        replaced: old !== null && !unchanged,
        unchanged,
        labels: countLabels(kept.map((cell) => prepared.get(cell.id)!)),
      };
    });
    if (writes.length > 0) await store.write(writes);
    return reports;
  };
}

/** A name stands for one notebook; of two in a batch the later one counts, as it would in two batches. */
function lastOfEachName(notebooks: readonly NamedNotebook[]): NamedNotebook[] {
  return [...new Map(notebooks.map((each) => [each.name, each])).values()];
}

/** By id; null for cells that are not stored. */
async function prepareAll(cells: readonly Cell[], labeller: Labeller): Promise<Map<string, StoredCell | null>> {
  const prepared = new Map<string, StoredCell | null>();
  for (const [place, cell] of cells.entries()) {
    if (!prepared.has(cell.id)) prepared.set(cell.id, prepareCell(cell, labeller));
    if (place % CELLS_PER_TURN === CELLS_PER_TURN - 1) await nextTurn();
  }
  return prepared;
}

/** The cells that the store lacks, with their vectors. A cell without tokens has none, and counts as not stored. */
async function embedNew(
  prepared: Map<string, StoredCell | null>,
  embedder: Embedder,
  store: VectorStore,
): Promise<Map<string, NewCell>> {
  const present = [...prepared.values()].filter((cell) => cell !== null);
  const missing = await store.missing(present.map(({ id }) => id));
  const wanted = present.filter(({ id }) => missing.has(id));
  const fresh = new Map<string, NewCell>();
  for (let from = 0; from < wanted.length; from += CELLS_PER_EMBEDDING) {
    const part = wanted.slice(from, from + CELLS_PER_EMBEDDING);
    const vectors = await embedder.embed(
      part.map(({ clean }) => clean),
      "cell",
    );
    for (const [place, cell] of part.entries()) {
      const vector = vectors[place];
      if (vector == null) prepared.set(cell.id, null);
      else fresh.set(cell.id, { ...cell, vector });
    }
    await nextTurn();
  }
  return fresh;
}

function countLabels(cells: readonly StoredCell[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const label of cells.flatMap(({ labels }) => labels)) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
