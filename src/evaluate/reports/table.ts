export type Value = string | number | null;

/** How an absent label is shown. */
export const NO_LABEL = "(none)";

/** A view of a document, for every format that has tables. Rows are made as they are read. */
export interface Table {
  readonly name: string;
  /** Heads of the columns; the first one names the row. */
  readonly columns: readonly string[];
  rows(): Iterable<readonly Value[]>;
}
