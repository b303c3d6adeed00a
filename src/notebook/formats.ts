import { decode } from "./decode.js";
import type { ParsedNotebook } from "./notebook.js";
import { parseNotebook } from "./parse.js";
import { isPercentScript, parsePercent } from "./parse-percent.js";
import { parseRecord } from "./parse-record.js";
import { parseSnippet } from "./parse-snippet.js";

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
  if (name.endsWith(".py")) return "script";
  return name.endsWith(".json") ? "snippet" : "ipynb";
}

function parseScript(text: string): ParsedNotebook {
  if (isPercentScript(text)) return { notebook: parsePercent(text) };
  return { rejected: { kind: "plain-script", reason: "a script without a `# %%` line that starts a cell" } };
}
