import { asRecord } from "./json.js";
import type { NotebookFacts, ParsedNotebook } from "./notebook.js";
import { parseNotebook, readNotebook } from "./parse-notebook.js";

/** Reads a line `{path, cells}` of a JSON-lines corpus: cells are texts of code, or objects with a `type` or `cell_type` and a `source`. */
export function parseRecord(line: string): ParsedNotebook {
  // The checks of size and depth are those of a notebook.
  const checked = parseNotebook(line);
  if ("rejected" in checked) return checked;
  const { cells, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const facts = readRecordFacts(rest);
  const plain = Array.isArray(cells) ? cells.map(toCell) : [];
  const parsed = readNotebook({ ...rest, cells: plain });
  return "rejected" in parsed ? parsed : { ...parsed, facts };
}

/** What a line tells of its notebook. */
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
