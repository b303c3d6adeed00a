import type { Adaptation } from "../recommendation.js";
import { type AdaptedCell, type AlignedCell, adaptNames, type ParsedCell } from "./adapt.js";
import { type AlignedPair, alignLines, isSameLine } from "./align.js";
import { continueMagic, findContinuation, startsWithTyped } from "./continuation.js";
import { type Cursor, readCursor } from "./cursor.js";
import { cutInsertion, type Insertion, NO_INSERTION } from "./insert.js";
import { collectOwnNames, MODULES, type OwnCode } from "./match-names.js";
import type { NameOrigins } from "./name-evidence.js";
import { readOutline, type Statement } from "./outline.js";
import { findRepeatedLoads } from "./repeated-loads.js";
import { readSourceLines, type SourceLines, type SourceRow } from "./source-lines.js";
import { readSuffix } from "./suffix.js";

/** Lines of a cell, from `start` up to `end`, counted from 0. */
interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** How a hit applies to the typed code. Slow properties are computed on first access. */
export interface HitAdaptation extends Adaptation {
  /** The code that the cell adds, in the user's names, even if it cannot be inserted at the cursor. */
  readonly added: string;
  /** Whether a statement of the cell starts with the line that is being typed (names may differ) and continues. */
  readonly continuesTyped: boolean;
  /** The same hit, renamed with knowledge of how undefined names are assigned in the hit's own notebook. */
  withOrigins(origins: NameOrigins): HitAdaptation;
}

export interface AdaptContext {
  readonly before?: readonly string[] | undefined;
  /** The cell's text after the cursor. */
  readonly suffix?: string | undefined;
  /** Names and types of a live kernel. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** All names that exist; null if that cannot be determined. */
  readonly knownNames?: (() => ReadonlySet<string> | null) | undefined;
  /** The call that usually makes the value of a variable with a certain name. */
  readonly usualOrigins?: NameOrigins | undefined;
}

/** Limits on the preceding cells searched for names, and on the characters read of each text. */
const MAX_BEFORE = 5;
const MAX_CHARACTERS_BEFORE = 4000;
const MAX_CHARACTERS = 20_000;
const MAX_VARIABLES = 1000;

const NO_ORIGINS: NameOrigins = new Map();
const REMARK = /^#/;
/** An import on one line. */
const IMPORT = /^(?:import|from) [^(\\]*$/;

/** Parses the user's code once for all hits of an answer. */
export function createHitAdapter(
  typedCode: string,
  { before = [], suffix: after = "", variables = {}, knownNames = () => null, usualOrigins = NO_ORIGINS }: AdaptContext,
): (code: string) => HitAdaptation {
  const end = typedCode.slice(-MAX_CHARACTERS);
  const typed = readSourceLines(end);
  const cursor = readCursor(end, typed);
  const suffix = readSuffix(after, cursor);
  const own: OwnCode = {
    typed,
    before: before.slice(-MAX_BEFORE).map((code) => readSourceLines(code.slice(0, MAX_CHARACTERS_BEFORE))),
    variables: Object.fromEntries(Object.entries(variables).slice(0, MAX_VARIABLES)),
    isTyping: typedCode.trim() !== "",
  };
  let names: ReturnType<typeof collectOwnNames> | undefined;
  const users = () => {
    names ??= collectOwnNames(own);
    return names;
  };
  const said = new Set([...findLines(REMARK, [typedCode]), ...findLines(IMPORT, [typedCode, ...before])]);
  const imports = new Set([...said].filter((line) => IMPORT.test(line)).flatMap((line) => importedNames(line)));
  const parse = (code: string): ParsedCell => {
    const source = readSourceLines(code);
    return { code, source, outline: readOutline(code, source) };
  };
  const align = ({ code, source, outline }: ParsedCell): AlignedCell => {
    const found = alignLines(typed.rows, source.rows, cursor.isAtLineStart);
    const last = found.at(-1);
    const partner = last?.typed === typed.rows.at(-1) ? last : undefined;
    const isWhole = partner?.isSameShape === true && !cursor.isMidway;
    const continuation = isWhole
      ? null
      : (continueMagic(outline, cursor) ?? findContinuation(code, outline, cursor, partner?.cell.row, imports));
    const isBefore = ({ cell, restStart }: AlignedPair) =>
      restStart === undefined && (continuation === null || cell.row < continuation.statement.first);
    return { code, source, outline, pairs: found.filter(isBefore), continuation };
  };
  const findDone = (statements: readonly Statement[]) => findRepeatedLoads(statements, users());
  const insertInto = (cell: AlignedCell) => {
    const inside = new Set(cell.source.rows.flatMap(({ row, isInside }) => (isInside ? row : [])));
    return cutInsertion({ ...cell, inside }, cursor, {
      lines: said,
      suffix,
      findDone,
    });
  };
  const isMagic = cursor.tokens[0]?.kind === "magic";
  const lastTyped = typed.rows.at(-1);
  /** Whether a line of the cell equals the last typed line except for names and literals. */
  const mayHaveLast = ({ source }: ParsedCell) =>
    source.rows.some((row) => lastTyped !== undefined && isSameLine(lastTyped, row));
  const word = readBegunWord(cursor, own);
  /** Statements from elsewhere make no sense in the block that was just opened. */
  const isBlockEmpty = cursor.statement?.isHeader === true;
  const lacksContinuation = ({ continuation, source, pairs }: AlignedCell) =>
    continuation === null &&
    ((isBlockEmpty && pairs.at(-1)?.typed !== lastTyped) ||
      cursor.isUnfinished ||
      (word !== null && !containsWord(source, word)));
  /** If the current line is unfinished, a cell that does not continue it has no insertion. */
  const place = (cell: AlignedCell, insertion: Insertion): Insertion =>
    lacksContinuation(cell) ? NO_INSERTION : insertion;
  const help = (code: string, origins: NameOrigins = NO_ORIGINS): HitAdaptation => {
    const originsOf = (name: string) => [...(origins.get(name) ?? []), ...(usualOrigins.get(name) ?? [])];
    if (code.length > MAX_CHARACTERS)
      return wholeCell(code, cursor.isUnfinished || word !== null || after.trim() !== "");
    const parsed = parse(code);
    let aligned: AlignedCell | undefined;
    const cell = () => {
      aligned ??= align(parsed);
      return aligned;
    };
    let inserted: Insertion | undefined;
    const raw = () => {
      inserted ??= insertInto(cell());
      return inserted;
    };
    // Adapted on first use, because many cells are checked for added code and only a few are shown.
    let result: { cell: AdaptedCell; insertion: Insertion } | undefined;
    const adapt = () => {
      if (result !== undefined) return result;
      const adapted = adaptNames(cell(), users(), (text) => align(parse(text)), knownNames(), { originsOf, findDone });
      const isRenamed = Object.keys(adapted.renamed).length > 0;
      result = { cell: adapted, insertion: isRenamed ? insertInto(adapted) : raw() };
      return result;
    };
    return {
      get matched() {
        return toRanges(cell().pairs);
      },
      get insert() {
        const { text, continuesLine } = place(cell(), raw());
        // Renaming can change whether a cell continues the current line.
        return continuesLine === this.continuesLine ? text : "";
      },
      get continuesLine() {
        const { cell: adapted, insertion } = adapt();
        return place(adapted, insertion).continuesLine;
      },
      get excerpt() {
        const { continuation, pairs, source } = cell();
        const start = continuation?.statement.first ?? (pairs.at(-1)?.cell.row ?? -1) + 1;
        return cutExcerpt(code, source.rows, start);
      },
      get adapted() {
        const { cell: adapted, insertion } = adapt();
        return { code: adapted.code, insert: place(adapted, insertion).text, renamed: adapted.renamed };
      },
      get continuesTyped() {
        // Aligning a cell costs more than this check, and most of the checked cells are not shown.
        const isSure = isMagic ? null : startsWithTyped(parsed.outline, cursor, imports, () => mayHaveLast(parsed));
        return isSure ?? cell().continuation?.isFromStart === true;
      },
      get added() {
        return raw().text === "" ? "" : adapt().insertion.text;
      },
      withOrigins: (origins) => help(code, origins),
    };
  };
  const adaptations = new Map<string, HitAdaptation>();
  return (code) => {
    if (!adaptations.has(code)) adaptations.set(code, help(code));
    return adaptations.get(code)!;
  };
}

function importedNames(line: string): string[] {
  const names = line.slice(line.indexOf("import ") + 7).split(",");
  return names.map(
    (name) =>
      name
        .trim()
        .split(/\s+as\s+|\./)
        .at(-1)!,
  );
}

function findLines(pattern: RegExp, texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split("\n").map((line) => line.trim())).filter((line) => pattern.test(line));
}

/** The adaptation of a cell that is mostly data; such a cell is not compared with the typed code. */
function wholeCell(code: string, lacksContinuation: boolean): HitAdaptation {
  const excerpt = cutExcerpt(code, [], 0);
  const insert = lacksContinuation ? "" : code;
  return {
    matched: [],
    insert,
    continuesLine: false,
    excerpt,
    adapted: { code, insert, renamed: {} },
    added: code,
    continuesTyped: false,
    withOrigins: () => wholeCell(code, lacksContinuation),
  };
}

/** Merges consecutive lines of the cell into ranges. */
function toRanges(pairs: readonly AlignedPair[]): LineRange[] {
  const ranges: { start: number; end: number }[] = [];
  for (const { cell } of pairs) {
    const last = ranges.at(-1);
    if (last?.end === cell.row) last.end += 1;
    else ranges.push({ start: cell.row, end: cell.row + 1 });
  }
  return ranges;
}

/** A line of a cell with its number, counted from 0. */
interface ExcerptLine {
  readonly line: number;
  readonly text: string;
}

/** Maximum number of lines shown of a cell; a longer cell is cut. */
const MAX_LINES = 12;
/** Lines shown before the one at which the insertion starts. */
const LINES_BEFORE = 2;

/**
 * The lines to show of a cell. A long cell is cut to the lines around `from`, where the insertion starts, and ends at
 * the end of a statement.
 */
function cutExcerpt(code: string, rows: readonly SourceRow[], from: number): ExcerptLine[] {
  const texts = code.split("\n");
  if (texts.length <= MAX_LINES) return texts.map((text, line) => ({ line, text }));
  const start = Math.max(0, Math.min(from, texts.length - 1) - LINES_BEFORE);
  const limit = start + MAX_LINES;
  // A statement that is longer than the limit is shown completely.
  const end = rows.findLast(({ row, depth }) => row >= start && row < limit && depth === 0)?.row ?? limit - 1;
  return texts.slice(start, end + 1).map((text, at) => ({ line: start + at, text }));
}

/** Attributes that a line often ends with; most others are methods. */
const VALUE_ATTRIBUTES = new Set("shape columns dtypes dtype values index size T".split(" "));

/**
 * The name at the cursor if it may be half-typed or an unfinished call (`df.gro`, `df = pd.read_csv`), because it
 * occurs nowhere else in the user's code; else null. Such a line counts as finished only if the cell contains the same
 * name.
 */
function readBegunWord(cursor: Cursor, { typed, before, variables }: OwnCode): string | null {
  const last = cursor.tokens.at(-1);
  if (!cursor.isInWord || last === undefined) return null;
  if (cursor.tokens.at(-2)?.text === ".") {
    const isKnown = VALUE_ATTRIBUTES.has(last.text) || before.some((source) => containsWord(source, last.text));
    return isKnown ? null : last.text;
  }
  const isKnown =
    MODULES.has(last.text) ||
    Object.hasOwn(variables, last.text) ||
    countWord(typed, last.text) > 1 ||
    before.some((source) => containsWord(source, last.text));
  return isKnown ? null : last.text;
}

/** Whether the name occurs without being called. */
function containsWord(source: SourceLines, word: string): boolean {
  return countWord(source, word) > 0;
}

function countWord({ logical }: SourceLines, word: string): number {
  let count = 0;
  for (const { tokens } of logical)
    for (const [at, { text }] of tokens.entries()) if (text === word && tokens[at + 1]?.text !== "(") count += 1;
  return count;
}
