import type { SuiteDocument } from "../result-document.js";
import type { ReportDescription } from "./description.js";

/** The code behind the ids of a document, which holds none. Undefined where it is not available. */
export interface ReportTexts {
  /** What was asked: the query, or the typed prefix of a case. */
  query(id: string): string | undefined;
  /** A cell of the index. */
  cell(id: string): string | undefined;
  /** What a case of a text suite should have got. */
  expected?(id: string): string | undefined;
}

/** One format. `render` makes the file piece by piece: a run can have 70,000 queries. */
export interface Report<D extends SuiteDocument = SuiteDocument> {
  readonly name: string;
  /** With the dot; the first is the usual one. */
  readonly extensions: readonly string[];
  render(document: D, describe: () => ReportDescription): Iterable<string> | AsyncIterable<string | Uint8Array>;
}
