import { type AdaptedCell, type AlignedCell, adaptNames } from "./adapt.js";
import { type AlignedPair, alignLines } from "./align.js";
import { findContinuation } from "./continuation.js";
import { readCursor } from "./cursor.js";
import { cutExcerpt, type ExcerptLine } from "./excerpt.js";
import { cutInsertion } from "./insert.js";
import { collectOwnNames, type OwnCode } from "./match-names.js";
import { readOutline } from "./outline.js";
import { readSourceLines } from "./source-lines.js";

/** Lines of a cell, from `start` up to `end`, counted from 0. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** What a hit brings to somebody who is typing. Parts that cost time are made when they are read. */
export interface Help {
  /** The lines of the cell that are typed already; free names may differ. */
  readonly matched: readonly LineRange[];
  /** The lines behind the last matched one, indented to stand behind the cursor. */
  readonly insert: string;
  /** Whether `insert` goes on in the line of the cursor; else it starts a new line. */
  readonly continuesLine: boolean;
  /** The lines to show. */
  readonly excerpt: readonly ExcerptLine[];
  /** The same in the user's own names, and which names of the cell became which. */
  readonly adapted: {
    readonly code: string;
    readonly insert: string;
    readonly renamed: Readonly<Record<string, string>>;
  };
}

export interface HelpContext {
  readonly before?: readonly string[] | undefined;
  /** Names and types of a live kernel. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** Cells before that names are looked for in, and characters of each text that are read. */
const MOST_BEFORE = 5;
const MOST_CHARACTERS_BEFORE = 4000;
const MOST_CHARACTERS = 20_000;
const MOST_VARIABLES = 1000;

const REMARK = /^#/;
/** An import that ends in its line. */
const IMPORT = /^(?:import|from) [^(\\]*$/;

/** Reads what the user has once, for all hits of an answer. */
export function createHelp(typedCode: string, { before = [], variables = {} }: HelpContext): (code: string) => Help {
  const end = typedCode.slice(-MOST_CHARACTERS);
  const typed = readSourceLines(end);
  const cursor = readCursor(end, typed);
  const own: OwnCode = {
    typed,
    before: before.slice(-MOST_BEFORE).map((code) => readSourceLines(code.slice(0, MOST_CHARACTERS_BEFORE))),
    variables: Object.fromEntries(Object.entries(variables).slice(0, MOST_VARIABLES)),
  };
  let names: ReturnType<typeof collectOwnNames> | undefined;
  const users = () => {
    names ??= collectOwnNames(own);
    return names;
  };
  const said = new Set([...findLines(REMARK, [typedCode]), ...findLines(IMPORT, [typedCode, ...before])]);
  const align = (code: string): AlignedCell => {
    const source = readSourceLines(code);
    const outline = readOutline(code, source);
    const found = alignLines(typed.rows, source.rows, cursor.isAtLineStart);
    const last = found.at(-1);
    const partner = last?.typed === typed.rows.at(-1) ? last : undefined;
    const isWhole = partner?.isSameShape === true && !cursor.isMidway;
    const continuation = isWhole ? null : findContinuation(code, outline, cursor, partner?.cell.row);
    const isBefore = ({ cell, restStart }: AlignedPair) =>
      restStart === undefined && (continuation === null || cell.row < continuation.statement.first);
    return { code, source, outline, pairs: found.filter(isBefore), continuation };
  };
  const insertInto = (cell: AlignedCell) => {
    const inside = new Set(cell.source.rows.flatMap(({ row, isInside }) => (isInside ? row : [])));
    return cutInsertion({ ...cell, inside }, cursor, said);
  };
  const describe = (cell: AdaptedCell, insert: string) => ({
    code: cell.code,
    insert: Object.keys(cell.renamed).length === 0 ? insert : insertInto(cell).text,
    renamed: cell.renamed,
  });
  const help = (code: string): Help => {
    if (code.length > MOST_CHARACTERS) return wholeCell(code);
    const cell = align(code);
    const { text: insert, continuesLine } = insertInto(cell);
    // Many cells are asked whether they bring anything; few are shown, and only those are adapted.
    let adapted: Help["adapted"] | undefined;
    return {
      matched: toRanges(cell.pairs),
      insert,
      continuesLine,
      get excerpt() {
        const start = cell.continuation?.statement.first ?? (cell.pairs.at(-1)?.cell.row ?? -1) + 1;
        return cutExcerpt(code, cell.source.rows, start);
      },
      get adapted() {
        adapted ??= describe(adaptNames(cell, users(), align), insert);
        return adapted;
      },
    };
  };
  const known = new Map<string, Help>();
  return (code) => {
    if (!known.has(code)) known.set(code, help(code));
    return known.get(code)!;
  };
}

function findLines(pattern: RegExp, texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split("\n").map((line) => line.trim())).filter((line) => pattern.test(line));
}

/** A cell that is mostly data: nothing of it is compared. */
function wholeCell(code: string): Help {
  const excerpt = cutExcerpt(code, [], 0);
  return { matched: [], insert: code, continuesLine: false, excerpt, adapted: { code, insert: code, renamed: {} } };
}

/** Lines of the cell that follow one another are one range. */
function toRanges(pairs: readonly AlignedPair[]): LineRange[] {
  const ranges: { start: number; end: number }[] = [];
  for (const { cell } of pairs) {
    const last = ranges.at(-1);
    if (last?.end === cell.row) last.end += 1;
    else ranges.push({ start: cell.row, end: cell.row + 1 });
  }
  return ranges;
}
