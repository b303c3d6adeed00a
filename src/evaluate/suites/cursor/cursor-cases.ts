import { createHash } from "node:crypto";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-text.js";
import type { NamedNotebook, NotebookCell } from "../../../notebook/notebook.js";
import { type Token, tokenize } from "../../../python/tokenize.js";
import { contextOf, spreadCells } from "../../notebook-context.js";
import { requireDistinctIds } from "../../runner/inputs.js";

/** A real cell with the cursor somewhere in it: `prefix + rest + suffix` is the cell. */
const caseSchema = z.object({
  id: z.string().min(1),
  notebook: z.string(),
  cell_index: z.int().min(0),
  /** The kind of cut: `line` for a line boundary, otherwise the kind of token before the cursor. */
  kind: z.string().min(1),
  prefix: z.string(),
  suffix: z.string().default(""),
  /** The rest of the line at the cursor, without a comment. */
  rest: z.string().refine((text) => text.trim() !== "", "must contain code"),
  /** The code cells above, nearest last. */
  preceding: z.array(z.string()),
  markdown: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
});

export type CursorCase = z.output<typeof caseSchema>;

/** The cases of a JSON-lines file; INPUT_INVALID with the line for one that cannot be read. */
export function readCursorCases(path: string): CursorCase[] {
  const cases = readJsonLines(path, "cases", caseSchema).map(({ value }) => value);
  if (cases.length === 0)
    throw new RecommenderError("INPUT_INVALID", `${path} has no cases; make some with: celrec eval build cursor`);
  requireDistinctIds(cases, path);
  return cases;
}

/** Whether the cursor is at the start of a line, so that the whole line is still to be typed. */
export function isLineBoundary({ prefix }: Pick<CursorCase, "prefix">): boolean {
  return lineBeforeCursor(prefix).trim() === "";
}

/** The typed part of the line at the cursor. */
export function lineBeforeCursor(prefix: string): string {
  return prefix.slice(prefix.lastIndexOf("\n") + 1);
}

/** The token before a cursor inside a line. */
const CUT_KINDS = ["dot", "bracket", "equals", "comma", "quote", "import", "name"] as const;
type CutKind = (typeof CUT_KINDS)[number];

/** A possible cursor position; the text to predict ends at `end`. */
interface Cut {
  readonly kind: CutKind | "line";
  readonly at: number;
  readonly end: number;
}

/** Maximum characters of a cell; longer cells are data. */
const MAX_CHARACTERS = 20_000;
/** Cells above that a case keeps. */
const MAX_PRECEDING = 50;
/** Minimum length of a name that is cut in the middle. */
const MIN_NAME = 3;

/**
 * Two cases of every code cell, or of at most `perNotebook` cells: one cut at a line boundary, one inside a line. A cell of one line
 * has no boundary. Hashes of the id choose the kind among those that the cell has, and the place.
 */
export function buildCursor(notebooks: readonly NamedNotebook[], perNotebook?: number): CursorCase[] {
  return notebooks.flatMap(({ name, notebook }) => {
    const suitable = notebook.cells.filter(({ type, source }) => type === "code" && source.length <= MAX_CHARACTERS);
    const withCuts = suitable.filter(({ source }) => insideCuts(normalizeSource(source), 0).length > 0);
    const cells = perNotebook === undefined ? withCuts : spreadCells(withCuts, perNotebook);
    return cells.flatMap((cell) => casesOf(name, cell, notebook.cells.slice(0, cell.index)));
  });
}

function casesOf(notebook: string, { index, source }: NotebookCell, above: readonly NotebookCell[]): CursorCase[] {
  const code = normalizeSource(source);
  const { before: preceding, markdown } = contextOf(above, MAX_PRECEDING);
  const toCase = (id: string, cut: Cut | undefined): CursorCase[] =>
    cut === undefined
      ? []
      : [
          {
            id,
            notebook,
            cell_index: index,
            kind: cut.kind,
            prefix: code.slice(0, cut.at),
            suffix: code.slice(cut.end),
            rest: code.slice(cut.at, cut.end),
            preceding,
            markdown,
          },
        ];
  const ids = { line: `${notebook}#${index}:line`, inside: `${notebook}#${index}:inside` };
  const lines = lineCuts(code);
  return [
    ...toCase(ids.line, lines[hashNumber(ids.line, "place") % lines.length]),
    ...toCase(ids.inside, chooseInside(code, ids.inside)),
  ];
}

/** Chooses a kind first, then a position of that kind, so that frequent commas do not displace imports. */
function chooseInside(code: string, id: string): Cut | undefined {
  const cuts = insideCuts(code, hashNumber(id, "name"));
  const kinds = CUT_KINDS.filter((kind) => cuts.some((cut) => cut.kind === kind));
  const kind = kinds[hashNumber(id, "kind") % kinds.length];
  const places = cuts.filter((cut) => cut.kind === kind);
  return places[hashNumber(id, "place") % places.length];
}

/** The starts of all lines of code except the first line. */
export function lineCuts(code: string): Cut[] {
  return codeLines(code)
    .slice(1)
    .map(({ start, end }) => ({ kind: "line", at: start, end }));
}

/** All cursor positions inside lines; `turn` decides at which character names are cut. */
export function insideCuts(code: string, turn: number): Cut[] {
  return codeLines(code).flatMap(({ tokens, end }) =>
    tokens.flatMap((token): Cut[] => {
      const place = cutAfter(token, turn);
      if (place === null) return [];
      const spaces = place.kind === "name" || place.kind === "quote" ? 0 : spacesAt(code, place.at);
      const at = place.at + spaces;
      return at < end ? [{ kind: place.kind, at, end }] : [];
    }),
  );
}

/** The position of the cursor after, or in the middle of, this token. */
function cutAfter({ kind, text, start, end }: Token, turn: number): { kind: CutKind; at: number } | null {
  if (kind === "name") {
    if (text.length < MIN_NAME) return null;
    return { kind: "name", at: start + 1 + (turn % (text.length - 1)) };
  }
  if (kind === "keyword") return text === "import" ? { kind: "import", at: end } : null;
  if (kind === "string") {
    const opening = /^\w*("""|'''|"|')/.exec(text);
    const isEmpty = opening === null || text.length <= opening[0].length + opening[1]!.length;
    return isEmpty ? null : { kind: "quote", at: start + opening[0].length };
  }
  const after = kind === "operator" ? KIND_AFTER[text] : undefined;
  return after === undefined ? null : { kind: after, at: end };
}

const KIND_AFTER: Readonly<Record<string, CutKind>> = { ".": "dot", "(": "bracket", "=": "equals", ",": "comma" };

interface CodeLine {
  /** Offset of the line. */
  readonly start: number;
  /** The end of the last token, before any comment. */
  readonly end: number;
  /** Without comments; never empty. */
  readonly tokens: readonly Token[];
}

/** The lines of plain Python: no comment lines, no magics, no lines with a part of a multi-line string. */
export function codeLines(code: string): CodeLine[] {
  const lines: CodeLine[] = [];
  let start = 0;
  let tokens: Token[] = [];
  const close = (next: number) => {
    const isPlain = tokens.every(({ kind, text }) => kind !== "magic" && !text.includes("\n"));
    if (tokens.length > 0 && isPlain) lines.push({ start, end: tokens.at(-1)!.end, tokens });
    start = next;
    tokens = [];
  };
  for (const token of tokenize(code)) {
    if (token.kind === "newline") close(token.end);
    else if (token.kind !== "comment") tokens.push(token);
  }
  close(code.length);
  return lines;
}

function spacesAt(code: string, from: number): number {
  let at = from;
  while (code[at] === " ") at += 1;
  return at - from;
}

function hashNumber(id: string, what: string): number {
  return createHash("sha256").update(`${what}\n${id}`).digest().readUInt32BE(0);
}
