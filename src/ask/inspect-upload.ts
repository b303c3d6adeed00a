import type { Config } from "../config.js";
import { RecommenderError } from "../errors.js";
import { type NotebookCode, readCode } from "../ingest/read-content.js";
import { type Format, parseBytes } from "../notebook/formats.js";
import type { NotebookFile, Rejection } from "../notebook/notebook.js";
import { checkCellCount } from "./limits.js";

/** An uploaded file, with the name that it is stored under. */
export interface UploadedFile {
  readonly source?: string;
  readonly name: string;
  readonly format: Format;
  readonly bytes: Uint8Array;
}

/** The kind and the cell of a secret, never the secret itself. */
interface ReportedSecret {
  readonly cellIndex: number;
  readonly kind: string;
}

export type InspectedFile =
  | { readonly code: NotebookCode; readonly secrets: readonly ReportedSecret[] }
  | { readonly rejected: Rejection };

/** The code of an uploaded notebook, searched for secrets. Throws TOO_LARGE if it exceeds a limit. */
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
      rejected: { kind: "holds-secrets", reason: `it contains secrets: ${list}; remove them and send it again` },
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

/** The known formats of access keys, and passwords in plain text. */
const PATTERNS: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: "AWS access key", pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { kind: "GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{22,251})\b/g },
  { kind: "GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,100}/g },
  { kind: "Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/g },
  { kind: "Google API key", pattern: /\bAIza[0-9A-Za-z_-]{35}/g },
  { kind: "OpenAI or Anthropic key", pattern: /\bsk-[A-Za-z0-9_-]{20,200}/g },
  { kind: "Stripe key", pattern: /\b[rs]k_live_[0-9A-Za-z]{16,200}\b/g },
  { kind: "Hugging Face token", pattern: /\bhf_[A-Za-z0-9]{30,100}\b/g },
  { kind: "JSON web token", pattern: /\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}/g },
  {
    kind: "private key",
    pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,10000}?-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  },
  {
    kind: "password in a URL",
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@'"]{1,100}:)[^\s:/@'"{}<>]{3,200}(?=@)/gi,
  },
  {
    kind: "password or key in a string",
    pattern:
      /(?<=\b\w{0,40}(?:password|passwd|secret|api_?key|access_?key|auth_?token|access_?token)(?!_(?:col|cols|column|columns|field|name|label|file|path)\b)\w{0,20}['"]?\]?\s{0,5}[=:]\s{0,5}['"])[^'"\s]{8,200}(?=['"])/gi,
  },
  {
    kind: "key in hex",
    pattern: /(?<=\b\w{0,40}(?:key|token)['"]?\]?\s{0,5}[=:]\s{0,5}['"])[0-9a-f]{32,128}(?=['"])/gi,
  },
  {
    kind: "password or key of the environment",
    pattern:
      /(?<=^[ \t]{0,20}[%!]?(?:env|set_env|export)[ \t]{1,5}\w{0,40}(?:key|token|secret|password|passwd)[ \t]{0,5}[= ][ \t]{0,5}['"]?)(?![/~.])[^\s'"=]{8,200}/gim,
  },
  {
    kind: "token in a header",
    pattern:
      /(?<=\bauthorization['"]?\s{0,5}[=:,]\s{0,5}['"]?(?:bearer|basic|token)[ \t]{1,5})[^\s'"{}]{8,500}(?=['"])/gi,
  },
];

/** Matches placeholders, as in tutorials, which are not secrets. */
const PLACEHOLDER =
  /^(?:[*x.•_-]+|<.*>|\{.*\}|\$.*|your.*|my.*|(?:some|the|an?)[_-].*|.*(?:example|placeholder|changeme|dummy|redacted).*|(?:[a-z]+_){0,5}(?:password|passwd|secret|token|key)(?:_[a-z]+){1,5})$/i;
const MASK = "********";

interface FoundSecret {
  readonly kind: string;
  /** Offset in the text, and the length. */
  readonly at: number;
  readonly length: number;
}

/** Finds keys and passwords in a text. */
export function findSecrets(text: string): FoundSecret[] {
  const found = PATTERNS.flatMap(({ kind, pattern }) =>
    Array.from(text.matchAll(pattern), ({ 0: secret, index }) => ({ kind, at: index, length: secret.length, secret })),
  );
  const real = found.filter(({ secret }) => !PLACEHOLDER.test(secret)).sort((one, other) => one.at - other.at);
  let end = 0;
  return real.flatMap(({ kind, at, length }) => {
    if (at < end) return [];
    end = at + length;
    return [{ kind, at, length }];
  });
}

export function maskSecrets(text: string, secrets: readonly FoundSecret[]): string {
  let masked = "";
  let end = 0;
  for (const { at, length } of secrets) {
    masked += text.slice(end, at) + MASK;
    end = at + length;
  }
  return masked + text.slice(end);
}
