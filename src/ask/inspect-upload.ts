import type { Config } from "../config.js";
import { RecommenderError } from "../errors.js";
import { type NotebookCode, readCode } from "../ingest/read-content.js";
import { type Format, parseBytes } from "../notebook/formats.js";
import type { NotebookFile, Rejection } from "../notebook/notebook.js";
import { checkCellCount } from "./check-size.js";
import { findSecrets, maskSecrets } from "./find-secrets.js";

/** A file that somebody sent, with the name that it is to be known by. */
export interface UploadedFile {
  readonly source?: string;
  readonly name: string;
  readonly format: Format;
  readonly bytes: Uint8Array;
}

/** Where a password or a key stands, never the secret itself. */
export interface ReportedSecret {
  readonly cellIndex: number;
  readonly kind: string;
}

export type InspectedFile =
  | { readonly code: NotebookCode; readonly secrets: readonly ReportedSecret[] }
  | { readonly rejected: Rejection };

/** The code of a file that is a notebook, after a look for secrets. Throws TOO_LARGE for one that is over a limit. */
export function inspectUpload(
  { name, format, bytes }: Omit<UploadedFile, "source">,
  policy: Config["secrets"],
): InspectedFile {
  const parsed = parseBytes(format, bytes);
  if ("rejected" in parsed) return parsed;
  checkCellCount(name, parsed.notebook);
  const { notebook, secrets } = lookForSecrets(parsed.notebook, policy);
  if (policy === "refuse" && secrets.length > 0) {
    const list = secrets.map(({ kind, cellIndex }) => `${kind} in cell ${cellIndex}`).join(", ");
    return {
      rejected: { kind: "holds-secrets", reason: `it holds secrets: ${list}; take them out, and send it again` },
    };
  }
  const read = readCode(notebook);
  if ("rejected" in read) throw new RecommenderError("TOO_LARGE", `${name}: ${read.rejected.reason}`);
  return { code: read.code, secrets };
}

function lookForSecrets(
  notebook: NotebookFile,
  policy: Config["secrets"],
): { notebook: NotebookFile; secrets: ReportedSecret[] } {
  const { cells } = notebook;
  const found = cells.map(({ type, source }) => (type === "code" ? findSecrets(source) : []));
  const secrets = found.flatMap((each, at) => each.map(({ kind }) => ({ cellIndex: cells[at]!.index, kind })));
  if (policy !== "mask") return { notebook, secrets };
  const masked = cells.map((cell, at) => ({ ...cell, source: maskSecrets(cell.source, found[at]!) }));
  return { notebook: { ...notebook, cells: masked }, secrets };
}
