import type { FilePath } from "../file-system.js";
import type { Format } from "../formats.js";
import type { NotebookFacts, Rejection } from "../notebook.js";
import type { LeftOut } from "./candidates.js";

/** Where the bytes of a notebook are: still in a file, for whoever parses it to read, or at hand. */
export type Content =
  | { readonly format: Format; readonly file: FilePath }
  | { readonly format: Format; readonly bytes: Uint8Array };

/** A notebook in a corpus, not read yet. Source and path are its identity. */
export interface Entry {
  readonly source: string;
  readonly path: string;
  readonly facts: NotebookFacts;
  /** Another one where the content may have changed; null where only the content can tell. */
  readonly stamp: string | null;
  /** In bytes, where it is known before reading. */
  readonly size: number | null;
  /** Whether somebody named this very file: a plain script that was only found is passed over without a word. */
  readonly named: boolean;
  /** May be called long after the entry came, or never. */
  read(): Promise<Content | { readonly rejected: Rejection }>;
}

/** Something in a corpus that cannot be read; `hides` where notebooks may lie behind it, as in a folder without permission. */
export interface Refusal {
  readonly source: string;
  readonly path: string;
  readonly rejected: Rejection;
  readonly hides?: true;
}

export type Found = Entry | Refusal;

/** The notebooks of a corpus, one after another. Nothing is read before it is asked for. */
export type Corpus = AsyncIterable<Found>;

/** A corpus, which can be gone over again, and how many entries it is going to have; null where only reading it tells. */
export interface OpenedCorpus {
  readonly corpus: Corpus;
  /** What its notebooks belong to. `isWhole` where the corpus is all of them: only then what is not in it has gone. */
  readonly sources: readonly { readonly name: string; readonly isWhole: boolean }[];
  count(): Promise<number | null>;
  /** What the last pass over the corpus did not look into. */
  leftOut(): readonly LeftOut[];
}
