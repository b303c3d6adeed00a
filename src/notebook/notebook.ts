import { z } from "zod";
import type { Immutable } from "../config.js";
export interface NotebookCell {
  /** Position among all cells of the file, from 0. */
  readonly index: number;
  readonly type: "code" | "markdown" | "other";
  readonly source: string;
}

/** A notebook of any format version: the parts that celrec uses. */
export interface NotebookFile {
  readonly cells: readonly NotebookCell[];
}

/** What is known of a notebook besides its content; each only if it is known. */
export const notebookFacts = z.strictObject({
  location: z.string().exactOptional().describe("The absolute path or the URL that opens the notebook."),
  title: z.string().exactOptional(),
  author: z.string().exactOptional(),
  licence: z.string().exactOptional(),
  votes: z.number().exactOptional(),
  url: z.string().exactOptional().describe("Where it was published, if `location` opens it on this machine."),
  /** The version number of a Kaggle kernel, the commit of a file in git. */
  revision: z.string().exactOptional().describe("The version that its publisher gave it."),
});
export type NotebookFacts = Immutable<z.output<typeof notebookFacts>>;

/** A notebook with its identity: the source it belongs to and its path there. */
export interface NamedNotebook {
  /** `upload` by default. */
  readonly source?: string;
  readonly name: string;
  readonly notebook: NotebookFile;
  readonly facts?: NotebookFacts;
}

/**
 * Why a file was rejected: not JSON, JSON that is not a notebook, another language, a script without cells, an
 * unreadable file, or one over a limit.
 */
export interface Rejection {
  readonly kind:
    | "not-json"
    | "not-a-notebook"
    | "not-python"
    | "plain-script"
    | "unreadable"
    | "too-large"
    | "holds-secrets";
  readonly reason: string;
}

/** `facts` are those stated in the content itself. */
export type ParsedNotebook =
  | { readonly notebook: NotebookFile; readonly facts?: NotebookFacts }
  | { readonly rejected: Rejection };

/** A file with more cells is not a real notebook; their positions alone would fill the memory. */
export const MAX_CELLS = 50_000;

export function rejectTooManyCells(): ParsedNotebook {
  const reason = `it cannot be a notebook: it holds more than ${MAX_CELLS.toLocaleString("en")} cells`;
  return { rejected: { kind: "not-a-notebook", reason } };
}

/** A path of the file system; a name that is not UTF-8 is kept as bytes. */
export type FilePath = string | Uint8Array;
