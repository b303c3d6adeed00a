import { createScanner, type JSONScanner } from "jsonc-parser";
import { RecommenderError } from "../errors.js";
import { LABELS } from "./labeller.js";

interface Edit extends Span {
  readonly text: string;
}

/**
 * Writes labels as tags into the metadata of cells and leaves every other byte of the notebook unchanged. `labels` maps a cell's index in the file to its labels. Tags with other labels of `labelSet` come from an earlier run and are removed.
 * @example writeLabelTags(ipynb, new Map([[2, ["ingest_data"]]]))
 */
export function writeLabelTags(
  ipynb: string,
  labels: ReadonlyMap<number, readonly string[]>,
  labelSet: readonly string[] = LABELS,
): string {
  const start = ipynb.startsWith("\uFEFF") ? 1 : 0;
  const edits = findCells(ipynb, start).flatMap((cell, at) => {
    const wanted = labels.get(at);
    return wanted === undefined || ipynb[cell.start] !== "{" ? [] : editCell(ipynb, cell, wanted, new Set(labelSet));
  });
  let written = "";
  let copiedTo = 0;
  for (const edit of edits) {
    written += ipynb.slice(copiedTo, edit.start) + edit.text;
    copiedTo = edit.end;
  }
  return written + ipynb.slice(copiedTo);
}

/** The cells of nbformat 4, or of the worksheets of nbformat 3, in the order of the file. */
function findCells(ipynb: string, start: number): Span[] {
  try {
    JSON.parse(ipynb.slice(start));
  } catch (cause) {
    throw new RecommenderError("NOT_A_NOTEBOOK", `not JSON: ${(cause as Error).message}`, { cause });
  }
  const notebook = valueAt(ipynb, start);
  const cells = findMember(ipynb, notebook, "cells");
  if (cells !== undefined && ipynb[cells.start] === "[") return elementsAt(ipynb, cells.start);
  const sheets = findMember(ipynb, notebook, "worksheets");
  if (sheets === undefined || ipynb[sheets.start] !== "[") {
    throw new RecommenderError("NOT_A_NOTEBOOK", "the notebook has no list of cells to write labels into");
  }
  return elementsAt(ipynb, sheets.start).flatMap((sheet) => {
    const inside = findMember(ipynb, sheet, "cells");
    return inside === undefined || ipynb[inside.start] !== "[" ? [] : elementsAt(ipynb, inside.start);
  });
}

function findMember(text: string, object: Span, key: string): Member | undefined {
  return text[object.start] === "{" ? membersAt(text, object.start).find((member) => member.key === key) : undefined;
}

function editCell(text: string, cell: Span, wanted: readonly string[], labelSet: ReadonlySet<string>): Edit[] {
  const metadata = findMember(text, cell, "metadata");
  const tags = metadata && findMember(text, metadata, "tags");
  const before: unknown = tags && JSON.parse(text.slice(tags.start, tags.end));
  const kept = Array.isArray(before) ? before.filter((tag) => !labelSet.has(tag) || wanted.includes(tag)) : [];
  const after = [...kept, ...wanted.filter((label) => !kept.includes(label))];
  if (JSON.stringify(after) === JSON.stringify(before ?? [])) return [];
  if (tags !== undefined) return [{ start: tags.start, end: tags.end, text: render(text, tags, after) }];
  if (metadata === undefined) return [insertMember(text, cell, "metadata", { tags: after })];
  if (text[metadata.start] === "{") return [insertMember(text, metadata, "tags", after)];
  return [{ start: metadata.start, end: metadata.end, text: render(text, metadata, { tags: after }) }];
}

/** Renders a new last member in the layout of its object. */
function insertMember(text: string, object: Span, key: string, value: unknown): Edit {
  const last = membersAt(text, object.start).at(-1);
  const isSpread = text.slice(object.start, object.end).includes("\n") || text.slice(0, object.start).endsWith("\n");
  const step = indentStep(text);
  const outer = indentAt(text, object.start);
  const inner = outer + step;
  const spread = isSpread || (last === undefined && step !== "");
  const member = `${JSON.stringify(key)}:${isPacked(text) ? "" : " "}${layOut(value, spread ? inner : null, step, text)}`;
  if (last !== undefined) {
    return {
      start: last.end,
      end: last.end,
      text: spread ? `,\n${inner}${member}` : `${isPacked(text) ? "," : ", "}${member}`,
    };
  }
  const body = spread ? `\n${inner}${member}\n${outer}` : member;
  return { start: object.start + 1, end: object.end - 1, text: body };
}

/** Renders the replacement of a value, in the layout of the old value. */
function render(text: string, old: Span, value: unknown): string {
  const spread =
    text.slice(old.start, old.end).includes("\n") || (text[old.start] === "[" && old.end - old.start === 2);
  const step = indentStep(text);
  return layOut(value, spread && step !== "" ? indentAt(text, old.start) : null, step, text);
}

function layOut(value: unknown, indent: string | null, step: string, text: string): string {
  if (indent !== null) return JSON.stringify(value, null, step || 1).replaceAll("\n", `\n${indent}`);
  const packed = JSON.stringify(value);
  return isPacked(text) ? packed : packed.replaceAll('","', '", "').replaceAll('":', '": ');
}

/** The white space that starts the line of an offset. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)![0];
}

/** One step of indentation; "" if the notebook is on one line. */
function indentStep(text: string): string {
  return /^\uFEFF?\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? "";
}

function isPacked(text: string): boolean {
  return /^\uFEFF?\{"[^"]*":\S/.test(text);
}

/** The position of a value in a JSON text: from `start` up to `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Member extends Span {
  readonly key: string;
}

/**
 * The span of the value at or after `from`. The text must be valid JSON. Deeply nested values are safe, because nothing
 * here recurses.
 */
function valueAt(text: string, from: number): Span {
  return readValue(text, createScannerAt(text, from));
}

/** The members of the object that starts at `start`; for a repeated key the last one counts, as in JSON.parse. */
function membersAt(text: string, start: number): Member[] {
  const members = new Map<string, Member>();
  const scanner = createScannerAt(text, start + 1);
  while (firstOf(text, scanner) === '"') {
    const key = scanner.getTokenValue();
    scanner.scan(); // the colon
    scanner.scan();
    members.set(key, { key, ...readValue(text, scanner) });
    if (firstOf(text, scanner) === ",") scanner.scan();
  }
  return [...members.values()];
}

/** The elements of the array that starts at `start`. */
function elementsAt(text: string, start: number): Span[] {
  const elements: Span[] = [];
  const scanner = createScannerAt(text, start + 1);
  while (firstOf(text, scanner) !== "]") {
    elements.push(readValue(text, scanner));
    if (firstOf(text, scanner) === ",") scanner.scan();
  }
  return elements;
}

function createScannerAt(text: string, from: number): JSONScanner {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  return scanner;
}

/**
 * The first character of the scanner's current token; the package's token kinds are const enums, which cannot be
 * imported.
 */
function firstOf(text: string, scanner: JSONScanner): string | undefined {
  return text[scanner.getTokenOffset()];
}

/** The span of the value at the scanner's current token; moves the scanner to the token after it. */
function readValue(text: string, scanner: JSONScanner): Span {
  const start = scanner.getTokenOffset();
  let end = start;
  let depth = 0;
  do {
    const first = firstOf(text, scanner);
    if (first === undefined) break;
    if (first === "{" || first === "[") depth += 1;
    else if (first === "}" || first === "]") depth -= 1;
    end = scanner.getTokenOffset() + scanner.getTokenLength();
    scanner.scan();
  } while (depth > 0);
  return { start, end };
}
