import type { Config } from "../config.js";
import { RecommenderError } from "../errors.js";
import type { IngestReport } from "../ingest/ingest.js";
import type { ParsedNotebook, Rejection } from "../notebook/notebook.js";
import { checkCellCount } from "./check-size.js";
import type { AskDeps } from "./deps.js";
import { findSecrets, maskSecrets } from "./find-secrets.js";
import { toPointer } from "./parse-input.js";

/** A file that somebody sent, with the name that it is to be known by. */
export interface UploadedFile {
  readonly source?: string;
  readonly name: string;
  readonly parsed: ParsedNotebook;
}

/** Where a password or a key stands, never the secret itself. */
export interface ReportedSecret {
  readonly cellIndex: number;
  readonly kind: string;
}

export interface UploadAnswer {
  readonly notebooks: readonly (Omit<IngestReport, "unchanged"> & { readonly secrets: readonly ReportedSecret[] })[];
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
}

/** `changed` is false where all of it was there already. */
export type Upload = (
  files: readonly UploadedFile[],
  signal?: AbortSignal,
) => Promise<{ readonly changed: boolean; readonly answer: UploadAnswer }>;

/** Stores what is a notebook and names the rest; an error where nothing is. */
export function createUpload({ ingest, config }: Pick<AskDeps, "ingest" | "config">): Upload {
  return async (sent, signal) => {
    for (const { name, parsed } of sent) if ("notebook" in parsed) checkCellCount(name, parsed.notebook);
    const files = sent.map((file) => inspect(file, config.secrets));
    const rejected = files.flatMap(({ name, parsed }) => ("rejected" in parsed ? [{ name, ...parsed.rejected }] : []));
    if (rejected.length === files.length) throw rejectAll(rejected);
    const taken = files.flatMap(({ parsed, secrets: _, ...named }) =>
      "notebook" in parsed ? [{ ...named, notebook: parsed.notebook }] : [],
    );
    const secrets = new Map(files.map((file) => [file.name, file.secrets]));
    const reports = await ingest(taken, signal);
    return {
      changed: !reports.every(({ unchanged }) => unchanged),
      answer: {
        notebooks: reports.map(({ unchanged: _, ...report }) => ({
          ...report,
          secrets: secrets.get(report.name) ?? [],
        })),
        rejected: rejected.map(({ name, reason }) => ({ name, reason })),
      },
    };
  };
}

/** Looks for secrets, and does with them what the setting says. */
function inspect(file: UploadedFile, policy: Config["secrets"]): UploadedFile & { secrets: ReportedSecret[] } {
  if ("rejected" in file.parsed) return { ...file, secrets: [] };
  const { cells } = file.parsed.notebook;
  const found = cells.map(({ type, source }) => (type === "code" ? findSecrets(source) : []));
  const secrets = found.flatMap((each, at) => each.map(({ kind }) => ({ cellIndex: cells[at]!.index, kind })));
  if (secrets.length === 0 || policy === "report") return { ...file, secrets };
  if (policy === "refuse") {
    const list = secrets.map(({ kind, cellIndex }) => `${kind} in cell ${cellIndex}`).join(", ");
    return { ...file, secrets, parsed: { rejected: { kind: "not-a-notebook", reason: `it holds secrets: ${list}` } } };
  }
  const masked = cells.map((cell, at) => ({ ...cell, source: maskSecrets(cell.source, found[at]!) }));
  return { ...file, secrets, parsed: { notebook: { ...file.parsed.notebook, cells: masked } } };
}

function rejectAll(rejected: readonly (Rejection & { readonly name: string })[]): RecommenderError {
  const detail = rejected.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  const problems = rejected.map(({ name, reason }) => ({ pointer: toPointer([name]), message: reason }));
  const code = rejected.every(({ kind }) => kind === "not-json") ? "INPUT_INVALID" : "NOT_A_NOTEBOOK";
  return new RecommenderError(code, detail, { problems });
}
