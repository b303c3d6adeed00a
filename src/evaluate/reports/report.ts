import type { ResultDocument } from "../result.js";

/** The code behind the ids of a document, which holds none. Undefined where it is not at hand. */
export interface ReportTexts {
  /** What was asked: the query, or the typed prefix of a case. */
  query(id: string): string | undefined;
  /** A cell of the index. */
  cell(id: string): string | undefined;
  /** What a case of a text suite should have got. */
  expected?(id: string): string | undefined;
}

/** One format. `render` makes the file piece by piece: a run can have 70,000 queries. */
export interface Report {
  readonly name: string;
  /** With the dot; the first is the usual one. */
  readonly extensions: readonly string[];
  /** The suites that have such a report; all where absent. */
  readonly suites?: readonly ResultDocument["suite"][];
  render(document: ResultDocument, texts: ReportTexts): Iterable<string> | AsyncIterable<string | Uint8Array>;
}
