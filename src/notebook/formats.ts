import { readRegularFile } from "./file-system.js";
import { decode } from "./json.js";
import type { ParsedNotebook } from "./notebook.js";
import { parseNotebook } from "./parse-notebook.js";
import { parseRecord } from "./parse-record.js";
import { parseScript } from "./parse-script.js";
import { parseSnippet } from "./snippet.js";

/** What the bytes of a notebook can be. */
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

/** The format that the name of a file promises. */
export function formatOf(name: string): Format {
  if (/\.py$/i.test(name)) return "script";
  return /\.json$/i.test(name) ? "snippet" : "ipynb";
}

/** Never throws on content; a file that cannot be read is rejected like one that is no notebook. */
export function readNotebookFile(path: string): ParsedNotebook {
  const content = readRegularFile(path);
  return "rejected" in content ? content : parseBytes(formatOf(path), content.bytes);
}
