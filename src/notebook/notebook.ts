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

/** Facts about a notebook in addition to its content; all are optional. */
export const notebookFacts = z.strictObject({
  location: z.string().exactOptional().describe("The absolute path or the URL that opens the notebook."),
  title: z.string().exactOptional(),
  author: z.string().exactOptional(),
  licence: z.string().exactOptional(),
  votes: z.number().exactOptional(),
  url: z.string().exactOptional().describe("The URL of the published notebook, if `location` is a local path."),
  /** For example the version number of a Kaggle kernel, or the commit of a file in git. */
  revision: z.string().exactOptional().describe("The publisher's version of the notebook."),
});
export type NotebookFacts = Immutable<z.output<typeof notebookFacts>>;

/** A notebook with its identity: the source it belongs to and its path there. */
export interface NamedNotebook {
  /** The source; by default `upload`. */
  readonly source?: string;
  readonly name: string;
  readonly notebook: NotebookFile;
  readonly facts?: NotebookFacts;
}

/**
 * The kinds of rejections: not JSON, JSON that is not a notebook, another language, a script without cells, an
 * unreadable file, a file over a limit.
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

/** Maximum number of cells; a file with more is not a real notebook and could fill the memory. */
export const MAX_CELLS = 50_000;

export function rejectTooManyCells(): ParsedNotebook {
  const reason = `it cannot be a notebook: it contains more than ${MAX_CELLS.toLocaleString("en")} cells`;
  return { rejected: { kind: "not-a-notebook", reason } };
}

/** A path of the file system; a name that is not UTF-8 is kept as bytes. */
export type FilePath = string | Uint8Array;
