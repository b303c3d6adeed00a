import type { NotebookFacts } from "../notebook/notebook.js";
import type { Ties } from "./best-rows.js";

export type { NotebookFacts };

/** The identity of an index. Another embedder or label set would make its answers meaningless. */
export interface IndexIdentity {
  readonly embedder: string;
  readonly dimensions: number;
  /** For people: a newer model with the same labels may read the index. */
  readonly labeller: string;
  readonly labels: readonly string[];
}

/** Loaded files by their names. A message to a thread passes them on without a copy. */
export type LoadedFiles = ReadonlyMap<string, unknown>;

export interface StoredCell {
  /** Hex sha-256 of the normalised source. */
  readonly id: string;
  readonly code: string;
  readonly clean: string;
  /** In the order of the label set. */
  readonly labels: readonly string[];
  readonly primary: string | null;
}

export interface NewCell extends StoredCell {
  readonly vector: Float32Array;
  /**
   * The packed profile that the second stage compares; a store may keep it, so that it is not computed for every
   * request.
   */
  readonly profile?: Uint8Array;
}

/** The position of a cell in a notebook. */
export interface CellPosition {
  readonly cellIndex: number;
  readonly id: string;
}

export interface Notebook {
  readonly id: string;
  /** The corpus that it belongs to: a folder's or an archive's real path, a name that was given, `upload`. */
  readonly source: string;
  /** Its path in the source. */
  readonly name: string;
  /** Hash of the content: the same identity with another version replaces what was stored. */
  readonly version: string;
  /** Code cells that are not stored: nothing left after cleaning, too long, no tokens. */
  readonly skipped: number;
  /** In ascending order of `cellIndex`. */
  readonly cells: readonly CellPosition[];
  readonly facts: NotebookFacts;
}

/** Makes the cells of these ids; one that is left out cannot be stored (it is empty, too long, or has no tokens). */
export type MakeCells = (ids: readonly string[]) => Promise<readonly NewCell[]>;

/** The result of writing a batch of notebooks. */
export interface WriteOutcome {
  /** The labels of every cell of the batch that is stored now, by id. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
  /** The cells among them that the store did not have before. */
  readonly added: ReadonlySet<string>;
  /** The notebooks that the store had with another version or other facts. */
  readonly replaced: ReadonlySet<string>;
}

export interface NotebookSummary {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  readonly cells: number;
  readonly skipped: number;
}

/** A corpus in the index. `cells` counts occurrences. */
export interface SourceSummary {
  readonly source: string;
  readonly notebooks: number;
  readonly cells: number;
  readonly skipped: number;
}

/**
 * A cell passes if its `primary`, or one of its `labels`, is among `any`; with `unlabelled`, also if it has no label.
 */
export interface LabelFilter {
  readonly field: "primary" | "labels";
  readonly any: readonly string[];
  readonly unlabelled: boolean;
}

/**
 * A notebook passes when it belongs to one of the sources and has at least this many votes; one whose votes are
 * unknown has none.
 */
export interface NotebookFilter {
  readonly sources?: readonly string[];
  readonly minVotes?: number;
}

export interface SearchQuery {
  readonly vector: Float32Array;
  readonly k: number;
  readonly filter?: LabelFilter;
  /** Only cells that occur in a notebook which passes. */
  readonly notebooks?: NotebookFilter;
  /** Sees every write that was acknowledged before the call, of any process. Milvus is slower then (some 300 ms). */
  readonly strong?: boolean;
  /**
   * For callers that rerank: scores may be those of quantized vectors (within .02), and the last hits are approximate.
   * Hits found beyond k are returned, too.
   */
  readonly rough?: boolean;
}

/** Words looked for, each with its weight. */
export interface LexicalQuery {
  readonly words: ReadonlyMap<string, number>;
  readonly k: number;
  /** Hits that the caller does not need, so that the search can stop early. */
  readonly ties?: Ties;
  readonly filter?: LabelFilter;
  readonly notebooks?: NotebookFilter;
}

/** The input of both searches of a request. */
export interface PoolQuery {
  readonly vector: Float32Array | null;
  readonly words: ReadonlyMap<string, number>;
  /** How many cells each of the two searches returns; beyond, up to `max`, those that reach the share `tie` of the best score. */
  readonly size: number;
  readonly max: number;
  readonly tie: number;
  /** The number by vector if the store cannot search by words. */
  readonly sizeWithoutWords: number;
  readonly filter?: LabelFilter;
  readonly notebooks?: NotebookFilter;
}

export interface Hit {
  readonly id: string;
  readonly score: number;
}

export interface Occurrence {
  readonly notebook: string;
  readonly source: string;
  readonly name: string;
  readonly cellIndex: number;
  readonly facts: NotebookFacts;
}

/** Occurrences that do not count: whole notebooks, all that do not pass `outside`, and one cell of one notebook (the query's own). */
export interface Exclusion {
  readonly notebooks?: readonly string[];
  readonly outside?: NotebookFilter;
  readonly occurrence?: { readonly notebook: string; readonly cellIndex: number };
}

/** A cell, and the one before it in some notebook. */
export interface NextCell {
  readonly before: string;
  readonly id: string;
}

/** `df.head()` occurs in thousands of notebooks; a few of them are enough to know what follows it. */
export const MAX_NEXT_CELLS = 5;

/** How often a cell occurs, and its smallest (source, name, cellIndex); excluded occurrences count for neither. */
export interface Provenance {
  readonly count: number;
  readonly first: Occurrence | null;
}

export interface Counts {
  readonly cells: number;
  readonly notebooks: number;
  readonly occurrences: number;
  /** Cells per label of the set; a cell with two labels counts twice. */
  readonly labels: Readonly<Record<string, number>>;
}

/** New labels and vector of a cell; null removes the cell: the new embedder finds no tokens in it. */
export type Revision = Pick<NewCell, "labels" | "primary" | "vector"> | null;

interface RemoveOptions {
  readonly isKept?: (notebook: string) => boolean;
  readonly signal?: AbortSignal;
}

/** Progress of `settle`, in cells. */
export interface SettleProgress {
  readonly phase: "graph" | "words";
  readonly done: number;
  readonly total: number;
}

export interface SettleOptions {
  readonly onProgress?: (progress: SettleProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Cells by content, and the notebooks that contain them. Every promise that resolves is an acknowledgement: what it wrote
 * survives the death of the process. Failures are RecommenderErrors: STORE_UNAVAILABLE, INDEX_LOCKED, INDEX_MISMATCH,
 * DISK_FULL.
 */
export interface VectorStore {
  readonly name: "embedded" | "milvus";
  /** How old the answer of a read that is not `strong` may be; 0 if every read is strong. */
  readonly stalenessMs: number;
  /** How many cells of a corpus are best written at once. Cells in flight when a process dies are written again. */
  readonly batchCells: number;

  /** Checks within milliseconds whether the store can answer; throws if it cannot. Opens nothing. */
  ready(): Promise<void>;
  /**
   * Opens or creates the index and loads what a search needs; repeated calls do nothing. Throws INDEX_MISMATCH for an index of another identity.
   * Other calls open by themselves.
   */
  open(): Promise<void>;
  /**
   * Opens it with what another thread of the process has loaded from the same files, and returns what further threads
   * can take. It is in shared buffers, so it exists once.
   */
  openShared?(loaded?: LoadedFiles): Promise<LoadedFiles>;
  /**
   * Writes each notebook, replacing an older version; of two with one id the later counts. The store decides which
   * cells it lacks and has those made, so that no other writer can come between. A cell that `make` leaves out is not
   * stored and counts as skipped at its index. Cells without a notebook are never shown again. Idempotent.
   */
  write(notebooks: readonly Notebook[], make: MakeCells, signal?: AbortSignal): Promise<WriteOutcome>;
  /** False if there is no such notebook. Removes the cells that only it held. */
  remove(notebook: string): Promise<boolean>;
  /**
   * Removes the notebooks of a source, some at a time, except those for which `isKept` is true; returns how many.
   * `signal` ends it between two batches.
   */
  removeSource(source: string, options?: RemoveOptions): Promise<number>;
  /**
   * Of these ids, those that are not stored: a writer may prepare these. A strong read, but other writers may change
   * the result at any time.
   */
  missing(ids: readonly string[]): Promise<Set<string>>;
  /** The versions of those of these notebooks that are stored, so that a writer need not read them again. */
  versions(notebooks: readonly string[]): Promise<Map<string, string>>;

  /** Exactly min(k, matches) hits, best first; `score` is the exact cosine in [-1, 1], and ties go to the smaller id. `rough` needs less. */
  search(query: SearchQuery, signal?: AbortSignal): Promise<Hit[]>;
  /**
   * At most k cells whose raw code contains any of the words, best BM25 first; null if the store cannot search by
   * words.
   */
  lexical(query: LexicalQuery, signal?: AbortSignal): Promise<Hit[] | null>;
  /** A view of the store for one request, which caches its search results. */
  forQuestion?(): VectorStore;
  /** Ids of the candidates of both searches, in one call; only of a store for one question. */
  pool?(query: PoolQuery, signal?: AbortSignal): Promise<readonly string[]>;
  /** In the order of the ids; unknown ids are left out. */
  cells(ids: readonly string[], signal?: AbortSignal): Promise<StoredCell[]>;
  /** All cells, a batch at a time, in no particular order; what is written meanwhile may be left out. */
  scan(): AsyncIterable<readonly StoredCell[]>;
  /** One per known id. */
  vectors(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Float32Array>>;
  /**
   * Unit vectors, perhaps quantized (cosines within .02), from memory alone. Not defined by a store that has to read
   * vectors anyway.
   */
  roughVectors?(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Float32Array>>;
  /**
   * The packed profiles that are kept and undamaged; those of other cells have to be made of their code. Undefined if
   * the store keeps none. The bytes belong to the store: do not modify them.
   */
  profiles?(ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>>;
  /** One per known id. */
  provenance(ids: readonly string[], exclude?: Exclusion, signal?: AbortSignal): Promise<Map<string, Provenance>>;
  /** The occurrences of a cell by (source, name, cellIndex), from the one at `offset`; empty for an unknown id. */
  occurrences(id: string, page: { readonly offset?: number; readonly limit: number }): Promise<Occurrence[]>;
  /**
   * Cells that directly follow one of these in a notebook, each pair once. Of a cell with many occurrences the store
   * reads any `MAX_NEXT_CELLS`; excluded ones are never returned.
   */
  nextCells(ids: readonly string[], exclude?: Exclusion, signal?: AbortSignal): Promise<NextCell[]>;
  /** Strong. */
  notebook(id: string): Promise<Notebook | null>;
  /** In ascending order of id, those after `after`. */
  notebooks(page: { readonly after?: string; readonly limit: number }): Promise<NotebookSummary[]>;
  /** The sources of all notebooks, by name. */
  sources(): Promise<SourceSummary[]>;
  counts(): Promise<Counts>;

  /**
   * Gives every cell new labels and a new vector, and the index the identity of this store; works on an index of
   * another identity. Readers see all of the old or all of the new.
   */
  rewrite(revise: (cells: readonly StoredCell[]) => Promise<readonly Revision[]>): Promise<void>;
  /**
   * Only of stores that may lag behind a writer of the same process: waits until reads see all that was acknowledged
   * before, with `files` also until it uses the files that another one has settled.
   */
  refresh?(what: "rows" | "files"): Promise<void>;
  /** Updates derived data, so that the next process opens quickly. Nothing is lost without it. */
  settle(options?: SettleOptions): Promise<void>;
  /** Removes everything, also an index of another identity. */
  clear(): Promise<void>;
  /** Removes the index altogether: its folder, or its collections. Only `close` may follow. */
  destroy(): Promise<void>;
  close(): Promise<void>;
}
