import { basename } from "node:path/posix";
import { asRecord, asString } from "./json-text.js";
import type { ParsedNotebook } from "./notebook.js";
import { parseNotebook } from "./parse-notebook.js";

/** A cell with its origin, for export as a snippet. */
export interface SnippetCell {
  readonly id: string;
  readonly code: string;
  readonly labels: readonly string[];
  readonly notebook: {
    readonly source: string;
    readonly name: string;
    readonly cellIndex: number;
    readonly location?: string | undefined;
    readonly author?: string | undefined;
    readonly licence?: string | undefined;
  };
}

/** A code snippet of Elyra: the name of its file, and its content. */
interface Snippet {
  readonly file: string;
  readonly document: {
    readonly display_name: string;
    readonly schema_name: "code-snippet";
    readonly metadata: {
      readonly description: string;
      readonly tags: readonly string[];
      readonly language: "Python";
      readonly code: readonly string[];
    };
  };
}

const MAX_TITLE_LENGTH = 40;
const MAX_STEM_LENGTH = 40;

/** The file name depends only on the cell and its notebook, so another export replaces the file. */
export function makeSnippet({ id, code, labels, notebook }: SnippetCell): Snippet {
  const { source, name, cellIndex, location, author, licence } = notebook;
  const stem = basename(name).replace(/\.\w+$/, "");
  const origin = [
    `${location ?? `${source}/${name}`}, cell ${cellIndex}`,
    ...(author === undefined ? [] : [`by ${author}`]),
    ...(licence === undefined ? [] : [`licence: ${licence}`]),
  ];
  return {
    file: `celrec-${[toWord(stem), cellIndex, id.slice(0, 8)].join("-")}.json`,
    document: {
      display_name: `${stem} ${cellIndex}: ${titleOf(code)}`,
      schema_name: "code-snippet",
      metadata: {
        description: `From ${origin.join("; ")}`,
        tags: ["celrec", ...labels],
        language: "Python",
        code: code.split("\n"),
      },
    },
  };
}

/** Characters that Elyra allows in a file name: lower-case letters, digits and hyphens. */
function toWord(text: string): string {
  const word = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_STEM_LENGTH)
    .replace(/^-+|-+$/g, "");
  return word === "" ? "notebook" : word;
}

/** The first line that is not an import, because imports say little. */
function titleOf(code: string): string {
  const lines = code.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const title = said.find((line) => !/^(import|from)\b|^[%!]/.test(line)) ?? said[0] ?? lines[0]!;
  return title.length <= MAX_TITLE_LENGTH ? title : `${title.slice(0, MAX_TITLE_LENGTH)}...`;
}

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
