import type { AlignedPair } from "./align.js";
import type { Continuation } from "./continuation.js";
import type { Cursor } from "./cursor.js";
import { CONTINUING_CLAUSES, type Outline, type Statement, widthOf } from "./outline.js";
import { cutAtSuffix, type Suffix, statementKey } from "./suffix.js";

/** The text to insert after the cursor. */
export interface Insertion {
  readonly text: string;
  /** Whether the text continues the cursor's line; if not, it starts a new line. */
  readonly continuesLine: boolean;
}

export const NO_INSERTION: Insertion = { text: "", continuesLine: false };

/** A parsed cell, as input of `cutInsertion`. */
interface InsertedCell {
  readonly code: string;
  readonly outline: Outline;
  readonly pairs: readonly AlignedPair[];
  readonly continuation: Continuation | null;
  /** Rows that start inside a multi-line string or magic, where white space is part of the text. */
  readonly inside: ReadonlySet<number>;
}

/** Code that an insertion must not repeat. */
export interface AlreadyPresent {
  /** Typed comments, and existing imports. */
  readonly lines: ReadonlySet<string>;
  /** The text after the cursor. */
  readonly suffix: Suffix;
  /** Finds the statements that only define names which the user already has. */
  findDone(statements: readonly Statement[]): ReadonlySet<Statement>;
}

/** Keywords of statements that may have further clauses, and of statements that are only valid in a certain block. */
const MAY_HAVE_CLAUSES = new Set(["if", "elif", "for", "while", "try", "except", "else", "match", "case"]);
const IN_FUNCTION = new Set(["return", "yield", "nonlocal"]);
const IN_LOOP = new Set(["break", "continue"]);

/**
 * Cuts the insertion: the rest of the statement at the cursor, then the cell's statements after the last typed line,
 * indented to follow the typed code. It ends where the cell leaves the matched block. If no line is typed, all
 * statements are inserted.
 */
export function cutInsertion(cell: InsertedCell, cursor: Cursor, known: AlreadyPresent): Insertion {
  const { suffix } = known;
  const isInLine = suffix.tokens.length > 0 || suffix.stringEnd !== null;
  const head = cell.continuation === null ? null : restOfStatement(cell, cell.continuation, cursor);
  if (head !== null) {
    const text = cutAtSuffix(head.text, cursor, suffix);
    if (text === "" || (isInLine && !head.continuesLine)) return NO_INSERTION;
    // If the suffix ends the statement, nothing can follow it here.
    if (isInLine || text !== head.text) return { text, continuesLine: head.continuesLine };
  }
  const lines = (head === null ? restOfMagic(cell) : null) ?? statementLines(cell, cursor, known);
  if (head !== null) return { text: [head.text, ...lines].join("\n"), continuesLine: head.continuesLine };
  if (lines.length === 0 || (isInLine && !cursor.isAtLineStart)) return NO_INSERTION;
  return { text: lines.join("\n") + (isInLine ? "\n" : ""), continuesLine: false };
}

/** The rows of a multi-line magic such as `%%sql` after the last typed one; null for other code. */
function restOfMagic({ code, outline, pairs }: InsertedCell): string[] | null {
  const last = pairs.at(-1)?.cell.row;
  const magic = outline.statements.find(({ first, last: end }) => last !== undefined && first <= last && last < end);
  if (magic?.tokens[0]?.kind !== "magic") return null;
  return code.split("\n").slice(last! + 1, magic.last + 1);
}

/** The start of the insertion: the text that completes the statement at the cursor. */
function restOfStatement(
  { code, outline, inside }: InsertedCell,
  { statement, before, start, end, after }: Continuation,
  cursor: Cursor,
): Insertion {
  const own = widthOf(cursor.statement!.margin) - widthOf(statement.margin);
  const [first, ...more] = code.slice(start, end).split("\n");
  const row = outline.starts.findLastIndex((offset) => offset <= start);
  const moved = more.map((line, at) => (inside.has(row + 1 + at) ? line : indentBy(line, own)));
  const text = `${before}${[first!, ...moved].join("\n").trimEnd()}${after}`;
  if (text.startsWith("\n")) return { text: text.slice(1), continuesLine: false };
  if (cursor.isAtLineStart) return { text: marginOf(cursor) + text.trimStart(), continuesLine: false };
  return { text: cursor.isSpaced && cursor.string === null ? text.trimStart() : text, continuesLine: true };
}

/** The indentation of a row inside the brackets of the cursor's statement. */
function marginOf({ outline, statement }: Cursor): string {
  return statement!.margin + outline.unit;
}

/** The rows of the statements that follow. */
function statementLines(
  cell: InsertedCell,
  cursor: Cursor,
  { lines: known, suffix, findDone }: AlreadyPresent,
): string[] {
  const { statements } = cell.outline;
  const start = firstStatement(cell);
  const first = statements[start];
  if (first === undefined) return [];
  let shift = shiftOf(cell, cursor, first);
  const texts = cell.code.split("\n");
  const lines: string[] = [];
  const path = pathOf(cursor, cell.continuation);
  let row = start === 0 ? 0 : statements[start - 1]!.last + 1;
  let kept = 0;
  let skipped = Number.POSITIVE_INFINITY;
  const done = findDone(statements.slice(start));
  const isDone = (statement: Statement) =>
    done.has(statement) || (suffix.statements.size > 0 && suffix.statements.has(statementKey(statement)));
  for (const statement of statements.slice(start)) {
    // If no statement of the block was usable, continue with the statements after the block.
    if (lines.length === 0 && statement.level + shift < 0) shift = -statement.level;
    const level = statement.level + shift;
    // Drop a statement that is not allowed here, together with its block.
    const isSkipped =
      level > skipped || (isOpen(level, path) && (!isValidAt(statement, level, path) || isDone(statement)));
    skipped = isSkipped ? Math.min(level, skipped) : Number.POSITIVE_INFINITY;
    if (isSkipped) row = statement.last + 1;
    if (isSkipped) continue;
    if (!isOpen(level, path)) break;
    path.length = level;
    path.push(statement);
    const margin = marginAt(cursor, level);
    const rows = texts.slice(row, statement.last + 1);
    const before = statement.first - row;
    const own = widthOf(statement.margin);
    const placed = rows.map((text, at) => {
      if (cell.inside.has(row + at)) return text;
      if (text.trim() === "") return "";
      return margin + " ".repeat(at <= before ? 0 : Math.max(0, indentOf(text) - own)) + text.trimStart();
    });
    const isKnown = statement.first === statement.last && known.has(texts[statement.first]!.trim());
    lines.push(...(isKnown && level === 0 ? placed.slice(0, before) : placed));
    row = statement.last + 1;
    if (!statement.isHeader) kept = lines.length;
  }
  // After the last statement there are only comments.
  if (row > statements.at(-1)!.last && kept === lines.length) {
    const margin = marginAt(cursor, Math.max(0, path.length - 1));
    lines.push(...texts.slice(row).map((text) => (text.trim() === "" ? "" : margin + text.trimStart())));
    kept = lines.length;
  }
  // Leave out a block header that has no statement left.
  return trimKnown(lines.slice(0, kept), known, cell.continuation !== null);
}

/** The first statement to insert. It follows the typed statements, or the statement that continues at the cursor. */
export function firstStatement({
  outline: { statements },
  pairs,
  continuation,
}: Pick<InsertedCell, "outline" | "pairs" | "continuation">): number {
  if (continuation !== null) return statements.indexOf(continuation.statement) + 1;
  const last = pairs.at(-1);
  if (last === undefined) return 0;
  const at = statements.findIndex(({ last: row }) => row >= last.cell.row);
  return at === -1 ? statements.length : at + 1;
}

/**
 * The number of levels by which the cell's statements are indented further (or less, if negative). It is that of the
 * matched lines if the result is valid; else the statements fit the block at the cursor.
 */
function shiftOf({ outline, pairs, continuation }: InsertedCell, cursor: Cursor, first: Statement): number {
  const here = cursor.statement;
  if (here === undefined) return -first.level;
  const isBlockOpen =
    continuation === null ? (here.isHeader && !cursor.isMidway) || cursor.lacksColon : continuation.opensBlock;
  const last = pairs.at(-1);
  const partner = last && outline.statements.find(({ last: row }) => row >= last.cell.row);
  const typed = last && cursor.outline.statements.find(({ last: row }) => row >= last.typed.row);
  if (continuation === null && partner !== undefined && typed !== undefined && !isBlockOpen) {
    const shift = typed.level - partner.level;
    if (first.level + shift >= 0 && first.level + shift <= here.level) return shift;
  }
  const step = continuation === null ? 1 : first.level - continuation.statement.level;
  if (!isBlockOpen && step <= 0 && here.level + step >= 0) return here.level + step - first.level;
  return here.level + (isBlockOpen ? 1 : 0) - first.level;
}

/** The last statement of each level before the cursor. The next statement follows one of them, or belongs to it. */
function pathOf(cursor: Cursor, continuation: Continuation | null): Statement[] {
  const path: Statement[] = [];
  for (const statement of cursor.outline.statements) {
    while (path.length < statement.level) path.push(statement);
    path.length = statement.level;
    path.push(statement);
  }
  const last = path.at(-1);
  const isHeader = continuation === null ? cursor.lacksColon || last?.isHeader : continuation.opensBlock;
  if (last !== undefined) path[path.length - 1] = { ...last, isHeader: isHeader === true };
  return path;
}

/** Whether a statement can follow at this level: its block is still open, or was just opened by a header. */
function isOpen(level: number, path: readonly Statement[]): boolean {
  const needsBlock = path.at(-1)?.isHeader ?? false;
  return needsBlock ? level === path.length : level >= 0 && level < Math.max(1, path.length);
}

/**
 * Whether a statement is valid at this place: `else` only after `if`, `return` only in a function, `break` only in a
 * loop.
 */
function isValidAt({ tokens }: Statement, level: number, path: readonly Statement[]): boolean {
  const around = path.slice(0, level).map(wordOf);
  const word = tokens[0]!.text;
  if (CONTINUING_CLAUSES.has(word)) return level < path.length && MAY_HAVE_CLAUSES.has(wordOf(path[level]!));
  if (IN_FUNCTION.has(word)) return around.includes("def");
  return !IN_LOOP.has(word) || around.includes("for") || around.includes("while");
}

function wordOf({ tokens }: Statement): string {
  return tokens[0]!.text === "async" ? (tokens[1]?.text ?? "") : tokens[0]!.text;
}

/** The white space of a level: as in the typed code, plus one step for each deeper level. */
function marginAt({ outline: { statements, unit } }: Cursor, level: number): string {
  const known = statements.findLast((statement) => statement.level === level);
  const base = statements.at(-1);
  if (known !== undefined && base !== undefined && level <= base.level) return known.margin;
  if (base === undefined) return unit.repeat(level);
  return base.margin + unit.repeat(level - base.level);
}

/** Removes blank lines at both ends and known lines at the start. If `keepsBlank`, blank lines at the start stay. */
function trimKnown(rows: readonly string[], known: ReadonlySet<string>, keepsBlank: boolean): string[] {
  const isFilled = (row: string) => row.trim() !== "";
  const isNew = (row: string) => isFilled(row) && !known.has(row.trim());
  const start = rows.findIndex(isNew);
  if (start === -1) return [];
  const isBehindBlank = keepsBlank && !rows.slice(0, start).some(isFilled);
  return rows.slice(isBehindBlank ? 0 : start, rows.findLastIndex(isFilled) + 1);
}

function indentBy(line: string, columns: number): string {
  return line.trim() === "" ? "" : " ".repeat(Math.max(0, indentOf(line) + columns)) + line.trimStart();
}

function indentOf(line: string): number {
  return widthOf(line.slice(0, line.length - line.trimStart().length));
}
