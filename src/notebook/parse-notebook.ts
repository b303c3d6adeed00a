import { asRecord, asString, findJsonHazard } from "./json-text.js";
import {
  MAX_CELLS,
  type NotebookCell,
  type NotebookFile,
  type ParsedNotebook,
  type Rejection,
  rejectTooManyCells,
} from "./notebook.js";

/**
 * Reads the text of an ipynb file, nbformat 2 to 4. Never throws, whatever the content.
 * @example parseNotebook('{"nbformat": 4, "cells": [{"cell_type": "code", "source": "1 + 1"}]}')
 */
export function parseNotebook(text: string): ParsedNotebook {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (json.trim() === "") return reject("not-json", "the file is empty");
  const hazard = findJsonHazard(json);
  if (hazard !== null) return reject("not-a-notebook", `it cannot be a notebook: ${hazard}`);
  try {
    const parsed = readNotebook(JSON.parse(json) as unknown);
    return "notebook" in parsed && parsed.notebook.cells.length > MAX_CELLS ? rejectTooManyCells() : parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return reject("not-json", nameOther(json) ?? `not JSON: ${shortenMessage(error.message)}`);
  }
}

/** Describes common kinds of files that are not JSON. */
function nameOther(text: string): string | null {
  if (text.startsWith("version https://git-lfs"))
    return "not JSON: a Git LFS pointer; run git lfs pull to fetch the file";
  if (/^<{7} /m.test(text) && /^>{7} /m.test(text)) return "not JSON: it contains merge conflict markers";
  return /^\s*<(!doctype html|html)/i.test(text) ? "not JSON: an HTML page" : null;
}

/** Like `parseNotebook`, for parsed JSON. */
export function readNotebook(document: unknown): ParsedNotebook {
  const root = asRecord(document);
  if (root === null)
    return reject("not-a-notebook", `JSON, but not a notebook: the top is ${nameType(document)}, not an object`);
  const cells = listCells(root);
  if (cells === null)
    return reject("not-a-notebook", "JSON, but not a notebook: it has neither cells nor worksheets nor nbformat");
  const language = foreignLanguage(root.metadata);
  if (language !== null) return reject("not-python", `a notebook in ${language}, not Python`);
  return { notebook: { cells: cells.map(readCell) } satisfies NotebookFile };
}

/** nbformat 4 keeps cells at the top, 2 and 3 keep them in worksheets; both keys may be missing in an empty notebook. */
function listCells(root: Readonly<Record<string, unknown>>): unknown[] | null {
  if (Array.isArray(root.cells)) return root.cells;
  if (Array.isArray(root.worksheets)) return root.worksheets.flatMap((sheet) => asList(asRecord(sheet)?.cells));
  return Number.isInteger(root.nbformat) ? [] : null;
}

function readCell(cell: unknown, index: number): NotebookCell {
  const record = asRecord(cell);
  // Up to nbformat 3, the key of code was `input`, and each code cell could have its own language.
  const source = joinSource(record?.source ?? record?.input);
  const type = record?.cell_type;
  const isCode = (type === "code" || (type === undefined && record?.input !== undefined)) && isPython(record?.language);
  return { index, type: isCode ? "code" : type === "markdown" || type === "heading" ? "markdown" : "other", source };
}

function isPython(language: unknown): boolean {
  return typeof language !== "string" || /^(i?python|$)/i.test(language);
}

function joinSource(source: unknown): string {
  if (typeof source === "string") return source;
  return asList(source)
    .filter((line) => typeof line === "string")
    .join("");
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function reject(kind: Rejection["kind"], reason: string): ParsedNotebook {
  return { rejected: { kind, reason } };
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/** Shortens V8's message, whose quotation of a long or binary file is useless. */
function shortenMessage(message: string): string {
  const plain = message.replace(/[\x00-\x1f\x7f]+/g, " ");
  return plain.length > 160 ? `${plain.slice(0, 157)}...` : plain;
}

/** Matches kernel names that imply another language. An environment named "iris" is not the kernel "ir". */
const FOREIGN_KERNEL =
  /^(i?r|julia|scala|spylon|bash|octave|matlab|sas|stata|xcpp|root(?:cpp)?|ijavascript|javascript|jslab|deno|gophernotes|rust|kotlin|java|ruby|iruby|\.net|perl|haskell|ihaskell|sql|sos|maxima|wolfram(?:language)?)(?![a-z])/i;
const PYTHON = /^(i?python|pypy|cython|sage|pyspark|xpython|micropython)/i;

/**
 * The language of a notebook, or null if it is Python. The kernel's language comes first, then `language_info` unless
 * it is "plaintext" (which editors write), then the kernel's name.
 */
export function foreignLanguage(metadata: unknown): string | null {
  const kernel = asRecord(asRecord(metadata)?.kernelspec);
  const info = asRecord(asRecord(metadata)?.language_info);
  const language = asString(kernel?.language) ?? plainName(asString(info?.name));
  if (language !== null) return PYTHON.test(language) ? null : language;
  // nbformat 3 has no kernels; IJulia wrote the language beside the notebook's name.
  const name = asString(kernel?.name) ?? asString(asRecord(metadata)?.language);
  return name !== null && FOREIGN_KERNEL.test(name) ? name : null;
}

function plainName(name: string | null): string | null {
  return name === null || /^(plaintext|text)$/i.test(name) ? null : name;
}
