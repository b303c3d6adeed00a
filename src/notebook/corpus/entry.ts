import type { Format } from "../formats.js";
import type { FilePath, NotebookFacts, Rejection } from "../notebook.js";
import type { SkippedGroup } from "./candidates.js";

/** The bytes of a notebook, or the path of a file that the parser reads. */
export type Content =
  | { readonly format: Format; readonly file: FilePath }
  | { readonly format: Format; readonly bytes: Uint8Array };

/** An unread notebook of a corpus. Source and path are its identity. */
export interface Entry {
  readonly source: string;
  readonly path: string;
  readonly facts: NotebookFacts;
  /** A value that changes when the content may have changed; null if it cannot be known without reading. */
  readonly stamp: string | null;
  /** Size in bytes, if known before reading. */
  readonly size: number | null;
  /** Whether the user named this file. Plain scripts found in a folder are skipped silently. */
  readonly named: boolean;
  /** Reads the content. May be called much later, or never. */
  read(): Promise<Content | { readonly rejected: Rejection }>;
}

/** An entry that cannot be read. `isContainer` means that it may contain notebooks, such as an unreadable folder. */
export interface UnreadableEntry {
  readonly source: string;
  readonly path: string;
  readonly rejected: Rejection;
  readonly isContainer?: true;
}

export type CorpusItem = Entry | UnreadableEntry;

/** The notebooks of a corpus. Each is read on demand. */
export type Corpus = AsyncIterable<CorpusItem>;

/** A corpus, which can be iterated repeatedly. `count` resolves to null if the number is unknown before reading. */
export interface OpenedCorpus {
  readonly corpus: Corpus;
  /**
   * The sources of the notebooks. `isWhole` means that the corpus has every notebook of the source, so an absent
   * notebook was deleted.
   */
  readonly sources: readonly { readonly name: string; readonly isWhole: boolean }[];
  count(): Promise<number | null>;
  /** The entries that the last iteration skipped. */
  skipped(): readonly SkippedGroup[];
}
