import type { Rejection } from "../notebook/notebook.js";
import type { IngestReport, SkipCounts } from "./report.js";

/** What became of a notebook of a corpus. */
export interface CorpusReport extends Omit<IngestReport, "labels"> {
  readonly skips: SkipCounts;
}

/** A file of a corpus that was not taken. */
export interface RejectedEntry extends Rejection {
  readonly source: string;
  readonly name: string;
  /** Whether notebooks may lie behind it that nobody has seen. */
  readonly hides: boolean;
}

/** What one batch brought. `files` counts all that was looked at. */
export interface CorpusStep {
  readonly files: number;
  readonly reports: readonly CorpusReport[];
  readonly rejected: readonly RejectedEntry[];
  /** The ids that scripts without cells would have. */
  readonly passedOver: readonly string[];
}
