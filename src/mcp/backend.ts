import type { UseCases } from "../ask/use-cases.js";

/** What became of notebooks that an agent had indexed. */
export interface IndexOutcome {
  readonly notebooks: number;
  /** Where it is known: those that were indexed as they are. */
  readonly unchanged?: number;
  readonly replaced: number;
  readonly cells: number;
  readonly new: number;
  readonly duplicate: number;
  readonly skipped: number;
  readonly rejected: number;
  /** The first of the rejected. */
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}

export interface IndexOptions {
  readonly source?: string | undefined;
  readonly signal: AbortSignal;
  /** Told after each batch how many files were looked at. */
  readonly onProgress: (files: number, of: number | null) => void;
}

/** Who answers an agent: the use cases of this process, or of a service that runs. */
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
  /** What answers, in words. */
  place(): Promise<string>;
  /** Brings the index in step with files. Only where agent and index are on the user's own machine: others may not name its files. */
  indexPaths?(paths: readonly string[], options: IndexOptions): Promise<IndexOutcome>;
}
