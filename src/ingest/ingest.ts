import { type Cell, extractCells, notebookId, notebookVersion, UPLOAD } from "../cells/extract.js";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import type { NotebookFile } from "../notebook/notebook.js";
import type { MakeCells, NewCell, Notebook, NotebookFacts, VectorStore, WriteOutcome } from "../store/vector-store.js";
import { makeCells } from "./make-cells.js";

export interface IngestDeps {
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
}

/** A notebook with its identity: the source it belongs to and its path there. */
export interface NamedNotebook {
  /** `upload` unless told. */
  readonly source?: string;
  readonly name: string;
  readonly notebook: NotebookFile;
  readonly facts?: NotebookFacts;
}

/** What became of a notebook. `new` and `duplicate` count its stored cells; `labels` counts them by label. */
export interface IngestReport {
  readonly id: string;
  readonly source: string;
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

export type Ingest = (notebooks: readonly NamedNotebook[], signal?: AbortSignal) => Promise<IngestReport[]>;

/** A notebook on its way into the index. */
interface Incoming extends Omit<Notebook, "cells"> {
  readonly cells: readonly Cell[];
}

/**
 * The write path: a batch of notebooks is cleaned, labelled, embedded and stored. A notebook that is stored with this content
 * costs nothing but the question; only cells that the store does not have are worked on, each once. When the promise
 * resolves, the whole batch is stored; when it rejects, none of it or all of it is.
 */
export function createIngest({ embedder, labeller, store }: IngestDeps): Ingest {
  return async (notebooks, signal) => {
    const batch = lastOfEach(notebooks.map(toIncoming));
    const versions = await store.versions(batch.map(({ id }) => id));
    const changed = batch.filter(({ id, version }) => versions.get(id) !== version);
    const codes = new Map(changed.flatMap(({ cells }) => cells.map(({ id, code }) => [id, code] as const)));
    const made = new Map<string, NewCell | null>();
    const prepare = async (ids: readonly string[]) => {
      const wanted = ids.filter((id) => !made.has(id)).map((id) => ({ id, code: codes.get(id)! }));
      for (const [id, cell] of await makeCells(wanted, { embedder, labeller }, signal)) made.set(id, cell);
    };
    // Ahead of the write, so that others need not wait for it; what is removed meanwhile is made in the write.
    await prepare([...(await store.missing([...codes.keys()]))]);
    const make: MakeCells = async (ids) => {
      await prepare(ids);
      return ids.flatMap((id) => made.get(id) ?? []);
    };
    const outcome = changed.length === 0 ? NOTHING : await store.write(changed.map(toStored), make, signal);
    const owned = new Set<string>();
    return Promise.all(
      batch.map((notebook) =>
        versions.get(notebook.id) === notebook.version
          ? reportUnchanged(notebook, store)
          : reportWritten(notebook, outcome, owned),
      ),
    );
  };
}

const NOTHING: WriteOutcome = { labels: new Map(), added: new Set(), replaced: new Set() };

function toIncoming({ source = UPLOAD, name, notebook, facts = {} }: NamedNotebook): Incoming {
  const cells = extractCells(notebook);
  return { id: notebookId(name, source), source, name, version: notebookVersion(cells), skipped: 0, cells, facts };
}

function toStored({ cells, ...notebook }: Incoming): Notebook {
  return { ...notebook, cells: cells.map(({ cellIndex, id }) => ({ cellIndex, id })) };
}

/** Of two notebooks of one identity in a batch the later one counts, as it would in two batches. */
function lastOfEach(notebooks: readonly Incoming[]): Incoming[] {
  return [...new Map(notebooks.map((each) => [each.id, each])).values()];
}

/** `owned` are the new cells that an earlier notebook of the batch has brought. */
function reportWritten(
  { id, source, name, cells }: Incoming,
  { labels, added, replaced }: WriteOutcome,
  owned: Set<string>,
): IngestReport {
  const kept = cells.filter((cell) => labels.has(cell.id));
  const brought = new Set(kept.map((cell) => cell.id).filter((cell) => added.has(cell) && !owned.has(cell)));
  for (const cell of brought) owned.add(cell);
  return {
    id,
    source,
    name,
    cells: kept.length,
    new: brought.size,
    duplicate: kept.length - brought.size,
    skipped: cells.length - kept.length,
    replaced: replaced.has(id),
    unchanged: false,
    labels: countLabels(kept.map((cell) => labels.get(cell.id)!)),
  };
}

async function reportUnchanged({ id, source, name }: Incoming, store: VectorStore): Promise<IngestReport> {
  const stored = await store.notebook(id);
  const positions = stored?.cells ?? [];
  const labels = new Map((await store.cells(positions.map((cell) => cell.id))).map((cell) => [cell.id, cell.labels]));
  return {
    id,
    source,
    name,
    cells: positions.length,
    new: 0,
    duplicate: positions.length,
    skipped: stored?.skipped ?? 0,
    replaced: false,
    unchanged: true,
    labels: countLabels(positions.map((cell) => labels.get(cell.id) ?? [])),
  };
}

function countLabels(cells: readonly (readonly string[])[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const label of cells.flat()) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}
