import { createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { RecommenderError } from "../../errors.js";
import type { SuiteDocument } from "../result-document.js";
import type { ReportDescription } from "./description.js";

/**
 * Checks before the long run that each report can be written after it: INPUT_INVALID for an extension that none of
 * the formats has, a missing folder, a path that cannot be written. Leaves nothing behind.
 */
export async function checkReportPaths(paths: readonly string[], reports: readonly Report[]): Promise<void> {
  for (const path of paths) {
    reportFor(path, reports);
    await tryToWrite(path);
  }
}

/**
 * Writes one report per path, the format chosen by its extension. A file appears, or replaces an older one, only when
 * it is complete.
 */
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

/** Permissions are not enough (read-only file system, superuser): only a write shows it. */
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

/** Rows are small and a stream costs something per piece. */
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

/** The code for the ids of a document, which itself contains no code. Undefined if it is not available. */
export interface ReportTexts {
  /** What was asked: the query, or the typed prefix of a case. */
  query(id: string): string | undefined;
  /** A cell of the index. */
  cell(id: string): string | undefined;
  /** The reference text of a case. */
  expected?(id: string): string | undefined;
}

/** One format. `render` makes the file piece by piece: a run can have 70,000 queries. */
export interface Report<D extends SuiteDocument = SuiteDocument> {
  readonly name: string;
  /** File extensions with the dot; the first is the default. */
  readonly extensions: readonly string[];
  render(document: D, describe: () => ReportDescription): Iterable<string> | AsyncIterable<string | Uint8Array>;
}
