import type { Format } from "../formats.js";
import type { FilePath, NotebookFacts, Rejection } from "../notebook.js";
import type { SkippedGroup } from "./candidates.js";

/** The bytes of a notebook: in a file that the parser reads, or in memory. */
export type Content =
  | { readonly format: Format; readonly file: FilePath }
  | { readonly format: Format; readonly bytes: Uint8Array };

/** A notebook in a corpus, not read yet. Source and path are its identity. */
export interface Entry {
  readonly source: string;
  readonly path: string;
  readonly facts: NotebookFacts;
  /** Changes when the content may have changed; null if only the content can tell. */
  readonly stamp: string | null;
  /** In bytes, where it is known before reading. */
  readonly size: number | null;
  /** Whether the user named this file: a plain script that was only found is skipped silently. */
  readonly named: boolean;
  /** May be called much later, or never. */
  read(): Promise<Content | { readonly rejected: Rejection }>;
}

/** Something in a corpus that cannot be read; `isContainer` if it may contain notebooks, like a folder without permission. */
export interface Refusal {
  readonly source: string;
  readonly path: string;
  readonly rejected: Rejection;
  readonly isContainer?: true;
}

export type CorpusItem = Entry | Refusal;

/** The notebooks of a corpus, one after another. Nothing is read before it is asked for. */
export type Corpus = AsyncIterable<CorpusItem>;

/** A corpus, which can be iterated more than once. `count` resolves to null if it is unknown before reading. */
export interface OpenedCorpus {
  readonly corpus: Corpus;
  /**
   * The sources of its notebooks. `isWhole` if the corpus contains all notebooks of the source: only then absent ones
   * were deleted.
   */
  readonly sources: readonly { readonly name: string; readonly isWhole: boolean }[];
  count(): Promise<number | null>;
  /** What the last iteration skipped. */
  skipped(): readonly SkippedGroup[];
}
