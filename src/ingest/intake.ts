import { RecommenderError } from "../errors.js";
import { type Cell, notebookId, UPLOAD_SOURCE } from "../notebook/extract.js";
import type { MakeCells, NewCell, Notebook, NotebookFacts, VectorStore, WriteOutcome } from "../store/vector-store.js";
import type { MakeNewCells, MakeResult } from "./make-cells.js";
import type { NotebookCode } from "./read-content.js";

/** A notebook to be indexed. */
export interface Incoming {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  readonly facts: NotebookFacts;
  readonly code: NotebookCode;
  /** Whether to write a notebook with unchanged content because its facts changed. */
  readonly force?: true;
}

/**
 * Prepared notebooks with the cells that the store lacked. Notebooks in `failed` have a cell that could not be
 * processed.
 */
export interface PreparedBatch {
  /** In input order. If two notebooks have the same identity, only the later one is included. */
  readonly notebooks: readonly Incoming[];
  readonly unchanged: ReadonlySet<string>;
  /** Ids of cells of unchanged notebooks that cannot be stored. */
  readonly skipped: ReadonlySet<string>;
  readonly failed: ReadonlyMap<string, unknown>;
  readonly made: Map<string, MakeResult>;
}

/** Writes batches in two steps, so the next batch is prepared while one is written. */
export interface Intake {
  prepare(notebooks: readonly Incoming[], signal?: AbortSignal): Promise<PreparedBatch>;
  /** Writes the prepared notebooks, except failed ones. */
  write(batch: PreparedBatch, signal?: AbortSignal): Promise<WriteOutcome>;
}

interface IntakeDeps {
  readonly store: VectorStore;
  readonly make: MakeNewCells;
}

const NOTHING_WRITTEN: WriteOutcome = { labels: new Map(), added: new Set(), replaced: new Set() };

/**
 * Creates an intake. An unchanged notebook costs one lookup. Only cells that the store lacks are processed, each once.
 */
export function createIntake({ store, make }: IntakeDeps): Intake {
  return {
    async prepare(given, signal) {
      const notebooks = [...new Map(given.map((notebook) => [notebook.id, notebook])).values()];
      const cells = new Set(notebooks.flatMap(({ code }) => code.cells.map(({ id }) => id)));
      const [versions, missing] = await Promise.all([
        store.versions(notebooks.map(({ id }) => id)),
        store.missing([...cells]),
      ]);
      const unchanged = new Set(
        notebooks.flatMap(({ id, code, force }) => (!force && versions.get(id) === code.version ? [id] : [])),
      );
      const changed = notebooks.filter(({ id }) => !unchanged.has(id));
      const { made, lost } = await makeMissing(changed, missing, make, signal);
      const failed = new Map(
        changed.flatMap(({ id, code }) => {
          const cell = code.cells.find((each) => lost.has(each.id));
          return cell === undefined ? [] : [[id, lost.get(cell.id)] as const];
        }),
      );
      return { notebooks, unchanged, skipped: missing, failed, made };
    },

    async write({ notebooks, unchanged, failed, made }, signal) {
      const changed = notebooks.filter(({ id }) => !unchanged.has(id) && !failed.has(id));
      if (changed.length === 0) return NOTHING_WRITTEN;
      const codes = new Map(changed.flatMap(({ code }) => code.cells.map((cell) => [cell.id, cell] as const)));
      const makeCells: MakeCells = async (ids) => {
        // Cells that were deleted since the lookup are made during the write.
        const late = ids.filter((id) => !made.has(id)).map((id) => codes.get(id)!);
        if (late.length > 0) for (const [id, cell] of await make(late, signal)) made.set(id, cell);
        return ids.map((id) => made.get(id)!).filter((cell): cell is NewCell => typeof cell !== "string");
      };
      return store.write(changed.map(toStored), makeCells, signal);
    },
  };
}

/** The identity, version and facts of a notebook. */
export function toIncoming(
  { source = UPLOAD_SOURCE, name, facts = {} }: { source?: string; name: string; facts?: NotebookFacts },
  code: NotebookCode,
): Incoming {
  return { id: notebookId(name, source), source, name, facts, code };
}

/**
 * Makes the cells of one notebook at a time, so a failure rejects only that notebook. `lost` maps the cells of a
 * rejected notebook to the error.
 */
async function makeMissing(
  notebooks: readonly Incoming[],
  missing: ReadonlySet<string>,
  make: MakeNewCells,
  signal: AbortSignal | undefined,
) {
  const results = new Map<string, MakeResult>();
  const failures = new Map<string, unknown>();
  const requested = new Set<string>();
  await Promise.all(
    notebooks.map(async ({ code }) => {
      const wanted = new Map<string, Cell>();
      for (const cell of code.cells) if (missing.has(cell.id) && !requested.has(cell.id)) wanted.set(cell.id, cell);
      for (const id of wanted.keys()) requested.add(id);
      if (wanted.size === 0) return;
      try {
        for (const [id, cell] of await make([...wanted.values()], signal)) results.set(id, cell);
      } catch (error) {
        // Only TOO_LARGE rejects the notebook; any other error ends the batch.
        if (!(error instanceof RecommenderError) || error.code !== "TOO_LARGE") throw error;
        for (const id of wanted.keys()) failures.set(id, error);
      }
    }),
  );
  return { made: results, lost: failures };
}

function toStored({ id, source, name, facts, code: { version, cells } }: Incoming): Notebook {
  return { id, source, name, version, skipped: 0, facts, cells: cells.map(({ cellIndex, id }) => ({ cellIndex, id })) };
}
