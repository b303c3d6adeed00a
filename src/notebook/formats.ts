import { readRegularFile } from "./file-system.js";
import { asRecord, decode } from "./json-text.js";
import type { NotebookFacts, ParsedNotebook } from "./notebook.js";
import { parseNotebook, readNotebook } from "./parse-notebook.js";
import { parseScript } from "./parse-script.js";
import { parseSnippet } from "./snippet.js";

/** The formats of a notebook. */
export type Format = keyof typeof FORMATS;

const FORMATS = {
  ipynb: parseNotebook,
  script: parseScript,
  record: parseRecord,
  snippet: parseSnippet,
} satisfies Record<string, (text: string) => ParsedNotebook>;

/** Reads the bytes of a notebook. Never throws on content. */
export function parseBytes(format: Format, bytes: Uint8Array): ParsedNotebook {
  return FORMATS[format](decode(bytes));
}

/** The format implied by the name of a file. */
export function formatOf(name: string): Format {
  if (/\.py$/i.test(name)) return "script";
  return /\.json$/i.test(name) ? "snippet" : "ipynb";
}

/**
 * Reads a notebook. Never throws on content; an unreadable file is rejected like any other file that is not a notebook.
 */
export function readNotebookFile(path: string): ParsedNotebook {
  const content = readRegularFile(path);
  return "rejected" in content ? content : parseBytes(formatOf(path), content.bytes);
}

/** Reads a line `{path, cells}` of a JSON-lines corpus: cells are texts of code, or objects with a `type` or `cell_type` and a `source`. */
function parseRecord(line: string): ParsedNotebook {
  // The limits of size and depth are those of notebooks.
  const checked = parseNotebook(line);
  if ("rejected" in checked) return checked;
  const { cells, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const facts = readRecordFacts(rest);
  const plain = Array.isArray(cells) ? cells.map(toCell) : [];
  const parsed = readNotebook({ ...rest, cells: plain });
  return "rejected" in parsed ? parsed : { ...parsed, facts };
}

/** The facts in a record of a JSON-lines corpus. */
export function readRecordFacts(record: Readonly<Record<string, unknown>>): NotebookFacts {
  const text = (...names: string[]) =>
    names.map((name) => record[name]).find((value) => typeof value === "string" && value !== "");
  const found = {
    location: text("url"),
    title: text("title"),
    author: text("author", "owner"),
    licence: text("licence", "license"),
    votes: Number.isInteger(record.votes) ? record.votes : undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function toCell(cell: unknown): unknown {
  if (typeof cell === "string") return { cell_type: "code", source: cell };
  const record = asRecord(cell);
  return record?.cell_type === undefined && record?.type !== undefined ? { ...record, cell_type: record.type } : cell;
}
