import type { UseCases } from "../ask/use-cases.js";

/** The result of indexing for an agent. */
export interface IndexOutcome {
  readonly notebooks: number;
  /** Notebooks that were already indexed, if known. */
  readonly unchanged?: number;
  readonly replaced: number;
  readonly cells: number;
  readonly new: number;
  readonly duplicate: number;
  readonly skipped: number;
  readonly rejected: number;
  /** The first rejected files. */
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}

export interface IndexOptions {
  readonly source?: string | undefined;
  readonly signal: AbortSignal;
  /** Called after each batch with the number of files so far. */
  readonly onProgress: (files: number, of: number | null) => void;
}

/** Answers an agent's calls: the use cases of this process, or a running service. */
export interface Backend
  extends Pick<
    UseCases,
    | "recommend"
    | "complete"
    | "search"
    | "findSimilar"
    | "label"
    | "stats"
    | "listSources"
    | "upload"
    | "listNotebooks"
    | "getNotebook"
    | "getCell"
  > {
  /** The label set. */
  labelSet(): Promise<readonly string[]>;
  /** A description of the index or service that answers. */
  place(): Promise<string>;
  /** Indexes files. Only for an agent on the user's own machine: others must not read its files. */
  indexPaths?(paths: readonly string[], options: IndexOptions): Promise<IndexOutcome>;
}
