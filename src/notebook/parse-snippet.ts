import { asRecord, asString } from "./json.js";
import type { ParsedNotebook } from "./notebook.js";
import { parseNotebook } from "./parse.js";

/** Reads a code snippet of Elyra: a notebook of one cell. Other JSON may be a notebook under another name. */
export function parseSnippet(text: string): ParsedNotebook {
  const asNotebook = parseNotebook(text);
  if (!("rejected" in asNotebook) || asNotebook.rejected.kind === "not-json") return asNotebook;
  const root = asRecord(JSON.parse(text.replace(/^\uFEFF/, "")));
  const metadata = asRecord(root?.metadata);
  const code = metadata?.code;
  if (root?.schema_name !== "code-snippet" || metadata === null) return asNotebook;
  const language = asString(metadata.language) ?? "Python";
  if (!/^python$/i.test(language))
    return { rejected: { kind: "not-python", reason: `a snippet in ${language}, not Python` } };
  const source = Array.isArray(code) ? code.filter((line) => typeof line === "string").join("\n") : String(code ?? "");
  const title = asString(root.display_name);
  return {
    notebook: { cells: [{ index: 0, type: "code", source }] },
    ...(title !== null && { facts: { title } }),
  };
}
