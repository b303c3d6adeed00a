import { RecommenderError } from "../errors.js";
import type { Ingest, IngestReport } from "../ingest/ingest.js";
import type { ParsedNotebook, Rejection } from "../notebook/notebook.js";
import { checkCellCount } from "./check-size.js";
import { toPointer } from "./parse-input.js";

/** A file that somebody sent, with the name that it is to be known by. */
export interface UploadedFile {
  readonly source?: string;
  readonly name: string;
  readonly parsed: ParsedNotebook;
}

export interface UploadAnswer {
  readonly notebooks: readonly Omit<IngestReport, "unchanged">[];
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
}

/** `changed` is false where all of it was there already. */
export type Upload = (
  files: readonly UploadedFile[],
  signal?: AbortSignal,
) => Promise<{ readonly changed: boolean; readonly answer: UploadAnswer }>;

/** Stores what is a notebook and names the rest; an error where nothing is. */
export function createUpload(ingest: Ingest): Upload {
  return async (files, signal) => {
    const rejected = files.flatMap(({ name, parsed }) => ("rejected" in parsed ? [{ name, ...parsed.rejected }] : []));
    if (rejected.length === files.length) throw rejectAll(rejected);
    const taken = files.flatMap(({ parsed, ...named }) =>
      "notebook" in parsed ? [{ ...named, notebook: parsed.notebook }] : [],
    );
    for (const { name, notebook } of taken) checkCellCount(name, notebook);
    const reports = await ingest(taken, signal);
    return {
      changed: !reports.every(({ unchanged }) => unchanged),
      answer: {
        notebooks: reports.map(({ unchanged: _, ...report }) => report),
        rejected: rejected.map(({ name, reason }) => ({ name, reason })),
      },
    };
  };
}

function rejectAll(rejected: readonly (Rejection & { readonly name: string })[]): RecommenderError {
  const detail = rejected.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  const problems = rejected.map(({ name, reason }) => ({ pointer: toPointer([name]), message: reason }));
  const code = rejected.every(({ kind }) => kind === "not-json") ? "INPUT_INVALID" : "NOT_A_NOTEBOOK";
  return new RecommenderError(code, detail, { problems });
}
