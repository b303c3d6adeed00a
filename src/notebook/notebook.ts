export interface NotebookCell {
  /** Position among all cells of the file, from 0. */
  readonly index: number;
  readonly type: "code" | "markdown" | "other";
  readonly source: string;
}

/** A notebook of any format version, as far as celrec looks at it. */
export interface NotebookFile {
  readonly cells: readonly NotebookCell[];
}

/** Why a file was not taken: no JSON at all, JSON of something else, or a notebook of another language. */
export interface Rejection {
  readonly kind: "not-json" | "not-a-notebook" | "not-python";
  readonly reason: string;
}

export type ParsedNotebook = { readonly notebook: NotebookFile } | { readonly rejected: Rejection };
