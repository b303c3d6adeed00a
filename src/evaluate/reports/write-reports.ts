import { createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { RecommenderError } from "../../errors.js";
import type { SuiteDocument } from "../result-document.js";
import type { ReportDescription } from "./description.js";

/**
 * Checks before a long run that each report can be written afterwards. INPUT_INVALID for an unknown extension, a
 * missing folder or an unwritable path. Leaves no file behind.
 */
export async function checkReportPaths(paths: readonly string[], reports: readonly Report[]): Promise<void> {
  for (const path of paths) {
    reportFor(path, reports);
    await tryToWrite(path);
  }
}

/** Writes one report per path; the extension chooses the format. Each file is written atomically. */
export async function writeReports(
  document: SuiteDocument,
  paths: readonly string[],
  reports: readonly Report[],
  describe: () => ReportDescription,
): Promise<void> {
  for (const path of paths) {
    const part = partOf(path);
    const chunks = joinSmall(reportFor(path, reports).render(document, describe));
    try {
      await pipeline(Readable.from(chunks), createWriteStream(part));
      await rename(part, path);
    } catch (cause) {
      await rm(part, { force: true });
      throw cannotWrite(path, cause);
    }
  }
}

function reportFor(path: string, reports: readonly Report[]): Report {
  const extension = extname(path).toLowerCase();
  const report = reports.find(({ extensions }) => extensions.includes(extension));
  if (report !== undefined) return report;
  const known = reports.flatMap(({ extensions }) => extensions).join(", ");
  throw new RecommenderError("INPUT_INVALID", `No report format for "${path}"; this suite has ${known}`);
}

/** Tries a write, because permissions do not show everything (read-only file system, superuser). */
async function tryToWrite(path: string): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory()) {
    throw new RecommenderError("INPUT_INVALID", `Cannot write ${path}: there is no folder ${dirname(path)}; create it`);
  }
  const known = await stat(path).catch(() => null);
  if (known?.isDirectory()) throw new RecommenderError("INPUT_INVALID", `Cannot write ${path}: it is a folder`);
  try {
    await (await open(partOf(path), "w")).close();
    if (known !== null) await (await open(path, "r+")).close();
  } catch (cause) {
    throw cannotWrite(path, cause);
  } finally {
    await rm(partOf(path), { force: true });
  }
}

const partOf = (path: string): string => `${path}.part`;

function cannotWrite(path: string, cause: unknown): RecommenderError {
  const code = (cause as NodeJS.ErrnoException).code === "ENOSPC" ? "DISK_FULL" : "INPUT_INVALID";
  return new RecommenderError(code, `Cannot write ${path}: ${(cause as Error).message}`, { cause });
}

/** Joins small pieces, because each write to the stream has a cost. */
async function* joinSmall(chunks: ReturnType<Report["render"]>): AsyncGenerator<string | Uint8Array> {
  let waiting = "";
  for await (const chunk of chunks) {
    if (typeof chunk !== "string") {
      yield chunk;
      continue;
    }
    waiting += chunk;
    if (waiting.length < 1 << 16) continue;
    yield waiting;
    waiting = "";
  }
  if (waiting !== "") yield waiting;
}

/** The code for the ids of a document, which has no code itself. Undefined if it is not available. */
export interface ReportTexts {
  /** The query, or the typed prefix of a case. */
  query(id: string): string | undefined;
  /** A cell of the index. */
  cell(id: string): string | undefined;
  /** The reference text of a case. */
  expected?(id: string): string | undefined;
}

/** A report format. `render` yields the file piece by piece, because a run can have 70,000 queries. */
export interface Report<D extends SuiteDocument = SuiteDocument> {
  readonly name: string;
  /** File extensions with the dot; the first is the default. */
  readonly extensions: readonly string[];
  render(document: D, describe: () => ReportDescription): Iterable<string> | AsyncIterable<string | Uint8Array>;
}
