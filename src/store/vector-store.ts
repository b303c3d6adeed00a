import type { NotebookFacts } from "../notebook/notebook.js";
import type { Ties } from "./best-rows.js";

export type { NotebookFacts };

/** The identity of an index. Its answers are only valid for the same embedder and label set. */
export interface IndexIdentity {
  readonly embedder: string;
  readonly dimensions: number;
  /** Only informative: a newer model with the same labels may read the index. */
  readonly labeller: string;
  readonly labels: readonly string[];
}

/** Loaded files by name, in shared buffers that threads use without a copy. */
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
  /** The packed profile for the second stage. A store may keep it to avoid computing it for every request. */
  readonly profile?: Uint8Array;
}

/** The position of a cell in a notebook. */
export interface CellPosition {
  readonly cellIndex: number;
  readonly id: string;
}

export interface Notebook {
  readonly id: string;
  /** The corpus of the notebook: the real path of a folder or archive, a given name, or `upload`. */
  readonly source: string;
  /** The notebook's path in the source. */
  readonly name: string;
  /** Hash of the content. A notebook with the same id and another version replaces the stored one. */
  readonly version: string;
  /** Number of code cells that are not stored: empty after cleaning, too long, or without tokens. */
  readonly skipped: number;
  /** In ascending order of `cellIndex`. */
  readonly cells: readonly CellPosition[];
  readonly facts: NotebookFacts;
}

/** Computes the cells with these ids. Cells that cannot be stored (empty, too long, without tokens) are left out. */
export type MakeCells = (ids: readonly string[]) => Promise<readonly NewCell[]>;

/** The result of writing a batch of notebooks. */
export interface WriteOutcome {
  /** The labels of every stored cell of the batch, by id. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
  /** Ids of cells that are new in the store. */
  readonly added: ReadonlySet<string>;
  /** Ids of notebooks that replaced another version or other facts. */
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

/** Whether a cell that did not come from a search with this filter would have passed it. */
export function passesFilter(
  { field, any, unlabelled }: LabelFilter,
  { labels, primary }: Pick<StoredCell, "labels" | "primary">,
): boolean {
  if (unlabelled && labels.length === 0) return true;
  return field === "labels" ? labels.some((label) => any.includes(label)) : primary !== null && any.includes(primary);
}

/** A notebook passes if it belongs to one of the sources and has at least this many votes. Unknown votes count as 0. */
export interface NotebookFilter {
  readonly sources?: readonly string[];
  readonly minVotes?: number;
}

export interface SearchQuery {
  readonly vector: Float32Array;
  readonly k: number;
  readonly filter?: LabelFilter;
  /** Only cells that occur in a notebook that passes this filter. */
  readonly notebooks?: NotebookFilter;
  /**
   * The read sees every write of any process that was acknowledged before the call. On Milvus this takes about 300 ms
   * longer.
   */
  readonly strong?: boolean;
  /**
   * For callers that rerank: scores may come from quantized vectors (within .02), the last hits may be approximate, and
   * there may be more than k hits.
   */
  readonly rough?: boolean;
}

/** Query words with their weights. */
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
  /**
   * Number of cells that each search returns. If further cells have at least the share `tie` of the best score, up to
   * `max` cells are returned.
   */
  readonly size: number;
  readonly max: number;
  readonly tie: number;
  /** Number of cells of the vector search if the store cannot search by words. */
  readonly sizeWithoutWords: number;
  readonly filter?: LabelFilter;
  /**
   * The words of the line that is being typed, to also find cells that may continue it, even if they do not pass
   * `filter`; omitted if no line is being typed.
   */
  readonly line?: { readonly words: ReadonlyMap<string, number>; readonly isFiltered: boolean };
  readonly notebooks?: NotebookFilter;
}

/**
 * Ids of the candidates that pass the label filter, and of further cells that may continue the typed line: found by its
 * words, or, if the store cannot search by words, by vector without the label filter.
 */
export interface CandidateIds {
  readonly inside: readonly string[];
  readonly outside: readonly string[];
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

/**
 * Excluded occurrences: those in `notebooks`, those in notebooks that do not pass the filter `outside`, and
 * `occurrence`, the query's own cell.
 */
export interface Exclusion {
  readonly notebooks?: readonly string[];
  readonly outside?: NotebookFilter;
  readonly occurrence?: { readonly notebook: string; readonly cellIndex: number };
}

/** A cell and the cell before it in some notebook. */
export interface NextCell {
  readonly before: string;
  readonly id: string;
}

/** Maximum number of next cells per cell. `df.head()` occurs in thousands of notebooks, and a sample is enough. */
export const MAX_NEXT_CELLS = 5;

/** The number of occurrences of a cell and the first one by (source, name, cellIndex), without excluded occurrences. */
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

/** New labels and vector of a cell. Null removes the cell, because the new embedder finds no tokens in it. */
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
 * Stores cells by content, and the notebooks that contain them. A resolved promise is an acknowledgement: its writes
 * survive a crash of the process. Errors are RecommenderErrors with the code STORE_UNAVAILABLE, INDEX_LOCKED,
 * INDEX_MISMATCH or DISK_FULL.
 */
export interface VectorStore {
  readonly name: "embedded" | "milvus";
  /** Maximum staleness of reads that are not `strong`; 0 if every read is strong. */
  readonly stalenessMs: number;
  /**
   * Best number of cells per write of a large corpus. If the process dies, unacknowledged cells have to be written
   * again.
   */
  readonly batchCells: number;
  /** Best number of concurrent writes of a large corpus; more than 1 if a write mostly waits for a server. */
  readonly writesAtOnce: number;

  /** A quick check that throws if the store cannot answer. Opens nothing. */
  ready(): Promise<void>;
  /**
   * Opens or creates the index and loads the data of searches. Repeated calls do nothing. Throws INDEX_MISMATCH for an
   * index of another identity. All other calls open the index if necessary.
   */
  open(): Promise<void>;
  /**
   * Opens the index with files that another thread of the process has loaded, and returns the loaded files for further
   * threads. They are in shared buffers, so they exist only once.
   */
  openShared?(loaded?: LoadedFiles): Promise<LoadedFiles>;
  /**
   * Writes notebooks, replacing older versions. If two have the same id, the later one counts. The store calls `make`
   * for the cells that it lacks while it has the write lock. A cell that `make` leaves out counts as skipped. Cells
   * that are in no notebook any more are never found. Idempotent.
   */
  write(notebooks: readonly Notebook[], make: MakeCells, signal?: AbortSignal): Promise<WriteOutcome>;
  /** Removes a notebook and the cells that are in no other one. False if there is no such notebook. */
  remove(notebook: string): Promise<boolean>;
  /**
   * Removes the notebooks of a source, in batches, except those for which `isKept` is true. Returns the number of
   * removed notebooks. `signal` stops it between two batches.
   */
  removeSource(source: string, options?: RemoveOptions): Promise<number>;
  /**
   * Returns the ids that are not stored, whose cells a writer may prepare. A strong read, but other writers may change
   * the result at any time.
   */
  missing(ids: readonly string[]): Promise<Set<string>>;
  /** The versions of the stored notebooks among these ids. A writer skips notebooks with an equal version. */
  versions(notebooks: readonly string[]): Promise<Map<string, string>>;

  /**
   * Exactly min(k, matches) hits, best first; `score` is the exact cosine in [-1, 1], and ties go to the smaller id.
   * With `rough`, these guarantees are weaker.
   */
  search(query: SearchQuery, signal?: AbortSignal): Promise<Hit[]>;
  /**
   * At most k cells whose raw code contains any of the words, best BM25 first; null if the store cannot search by
   * words.
   */
  lexical(query: LexicalQuery, signal?: AbortSignal): Promise<Hit[] | null>;
  /** A view of the store for one request, which caches its search results. */
  forQuestion?(): VectorStore;
  /** The candidates of both searches, in one call. Only defined by a view for one question. */
  pool?(query: PoolQuery, signal?: AbortSignal): Promise<CandidateIds>;
  /** The cells in the order of the ids; unknown ids are left out. */
  cells(ids: readonly string[], signal?: AbortSignal): Promise<StoredCell[]>;
  /** All cells, in batches and in no particular order. Cells written meanwhile may be missing. */
  scan(): AsyncIterable<readonly StoredCell[]>;
  /** The vector of each known id. */
  vectors(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Float32Array>>;
  /**
   * Unit vectors from memory, possibly quantized (cosines within .02). Undefined if the store has no vectors in memory.
   */
  roughVectors?(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Float32Array>>;
  /**
   * The stored, undamaged profiles. Profiles of other cells must be computed from their code. Undefined if the store
   * keeps no profiles. Do not modify the bytes, which belong to the store.
   */
  profiles?(ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The provenance of each known id. */
  provenance(ids: readonly string[], exclude?: Exclusion, signal?: AbortSignal): Promise<Map<string, Provenance>>;
  /** The occurrences of a cell by (source, name, cellIndex), from the one at `offset`; empty for an unknown id. */
  occurrences(id: string, page: { readonly offset?: number; readonly limit: number }): Promise<Occurrence[]>;
  /**
   * Pairs of one of these cells and a cell directly after it in a notebook, without duplicates or excluded occurrences.
   * For a frequent cell, at most `MAX_NEXT_CELLS` arbitrary occurrences are read.
   */
  nextCells(ids: readonly string[], exclude?: Exclusion, signal?: AbortSignal): Promise<NextCell[]>;
  /** A stored notebook; null for an unknown id. A strong read. */
  notebook(id: string): Promise<Notebook | null>;
  /** A page of notebooks after the id `after`, by ascending id. */
  notebooks(page: { readonly after?: string; readonly limit: number }): Promise<NotebookSummary[]>;
  /** The sources of all notebooks, by name. */
  sources(): Promise<SourceSummary[]>;
  counts(): Promise<Counts>;

  /**
   * Gives every cell new labels and a new vector, and gives the index the identity of this store. Readers see either
   * the old or the new state.
   */
  rewrite(revise: (cells: readonly StoredCell[]) => Promise<readonly Revision[]>): Promise<void>;
  /**
   * Waits until reads see everything acknowledged before. With `files`, also loads derived files that another thread or
   * process has settled. Undefined for stores that never lag behind.
   */
  refresh?(what: "rows" | "files"): Promise<void>;
  /** Updates derived data, so the next process opens quickly. Optional: no data depends on it. */
  settle(options?: SettleOptions): Promise<void>;
  /** Removes all content, even of an index with another identity. */
  clear(): Promise<void>;
  /** Deletes the index with its folder or collections. Afterwards only `close` may be called. */
  destroy(): Promise<void>;
  close(): Promise<void>;
}
