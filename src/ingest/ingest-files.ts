import { type NotebookPath, readNotebookFile } from "../notebook/files.js";
import type { Rejection } from "../notebook/notebook.js";
import type { Ingest, IngestReport, NamedNotebook } from "./ingest.js";

/** A batch ends at this many cells or notebooks: large enough that a commit is cheap, small enough to stop soon after Ctrl-C. */
const BATCH_CELLS = 1_000;
const BATCH_NOTEBOOKS = 100;

export interface FileProgress {
  readonly done: number;
  readonly total: number;
  readonly reports: readonly IngestReport[];
  readonly rejected: readonly RejectedFile[];
}

export interface RejectedFile extends Rejection {
  readonly name: string;
}

/** Stores the notebooks of many files, a batch at a time, and tells after each. `signal` stops it between two batches. */
export async function* ingestFiles(
  files: readonly NotebookPath[],
  ingest: Ingest,
  signal?: AbortSignal,
): AsyncGenerator<FileProgress> {
  let batch: NamedNotebook[] = [];
  let cells = 0;
  let rejected: RejectedFile[] = [];
  for (const [place, file] of files.entries()) {
    if (signal?.aborted) return;
    const parsed = readNotebookFile(file);
    if ("rejected" in parsed) rejected.push({ name: file.name, ...parsed.rejected });
    else {
      batch.push({ name: file.name, notebook: parsed.notebook });
      cells += parsed.notebook.cells.length;
    }
    const done = place + 1;
    if (cells < BATCH_CELLS && batch.length < BATCH_NOTEBOOKS && done < files.length) continue;
    yield { done, total: files.length, reports: batch.length > 0 ? await ingest(batch) : [], rejected };
    [batch, cells, rejected] = [[], 0, []];
  }
}
