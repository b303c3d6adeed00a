import { KEYWORDS } from "../python/lex.js";
import { type CodeTokenKind, WRAP } from "./tokens.js";

export const KINDS: readonly CodeTokenKind[] = [
  "name",
  "keyword",
  "number",
  "string",
  "operator",
  "line",
  "magic",
  "cell",
  "wrap",
];
export const NAME = 0;
export const STRING = 3;
export const NUMBER = 2;
export const LINE = 5;
export const MAGIC = 6;
export const CELL = 7;
export const WRAPPING = 8;

const OPERATORS =
  "+ - * / // % ** @ & | ^ ~ << >> < > <= >= == != <> = += -= *= /= //= %= **= @= &= |= ^= >>= <<= -> := . , : ; ( ) [ ] { } ... ! ? ` $".split(
    " ",
  );

/**
 * Token classes, which decide what tokens may follow one another: names and literals by kind, operators and keywords by
 * text. The stored table of pairs uses their indexes, so append new classes at the end.
 */
const CLASSES: readonly string[] = [
  "\n",
  "name",
  "number",
  "string",
  "magic",
  "cell",
  "wrap",
  ...OPERATORS,
  ...KEYWORDS,
];
export const CLASS_COUNT = CLASSES.length;
const CLASS_OF: ReadonlyMap<string, number> = new Map(CLASSES.map((text, index) => [text, index]));
export const LINE_CLASS = 0;
export const CELL_CLASS = 5;
export const WRAP_CLASS = 6;
export const classOfOperator = (text: string): number => CLASS_OF.get(text)!;

const STRING_START = /^[a-zA-Z]{0,2}['"]/;
const NAME_START = /^[\p{L}_]/u;

/** The kind of a model token, as an index into `KINDS`. */
export function kindOf(text: string): number {
  const first = text.charCodeAt(0);
  if (first === 10) return text === WRAP ? WRAPPING : LINE;
  if (first === 12) return CELL;
  if (first === 39 || first === 34) return STRING;
  if (NAME_START.test(text)) {
    if (STRING_START.test(text)) return STRING;
    return KEYWORDS.has(text) ? 1 : NAME;
  }
  if ((first >= 48 && first <= 57) || (first === 46 && text.length > 1 && text !== "...")) return NUMBER;
  if (first === 37 && /^%[%\w]/.test(text)) return MAGIC;
  if ((first === 33 && text !== "!=" && text !== "!") || (first === 63 && text.length > 1)) return MAGIC;
  return 4;
}

/** The class of a token with this text and kind. */
export function classOf(text: string, kind: number): number {
  if (kind === LINE) return LINE_CLASS;
  if (kind === 4 || kind === 1) return CLASS_OF.get(text) ?? CLASS_OF.get("$")!;
  return CLASS_OF.get(KINDS[kind]!)!;
}

/** Pairs of classes that were seen next to each other, one byte per pair. */
export type ClassPairs = Uint8Array;

export function arePaired(pairs: ClassPairs, first: number, second: number): boolean {
  return pairs[first * CLASS_COUNT + second] === 1;
}
