import type { Adaptation } from "../recommendation.js";
import { type AdaptedCell, type AlignedCell, adaptNames } from "./adapt.js";
import { type AlignedPair, alignLines } from "./align.js";
import { holdsWord, readBegunWord } from "./begun-word.js";
import { findContinuation } from "./continuation.js";
import { continueMagic } from "./continued-magic.js";
import { readCursor } from "./cursor.js";
import { cutExcerpt } from "./excerpt.js";
import { cutInsertion, type Insertion, NO_INSERTION } from "./insert.js";
import { findLoadedAgain } from "./loaded-again.js";
import { collectOwnNames, type OwnCode } from "./match-names.js";
import { readOutline } from "./outline.js";
import { readSourceLines } from "./source-lines.js";
import { readSuffix } from "./suffix.js";

/** Lines of a cell, from `start` up to `end`, counted from 0. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** How a hit applies to the typed code. Parts that cost time are computed when they are read. */
export interface HitAdaptation extends Adaptation {
  /** What the cell adds, in the user's names, whether or not it can be inserted at the cursor. */
  readonly added: string;
  /** Whether a statement of the cell starts with the line that is being typed, names aside, and goes on. */
  readonly continuesTyped: boolean;
}

export interface AdaptContext {
  readonly before?: readonly string[] | undefined;
  /** The cell's text after the cursor. */
  readonly suffix?: string | undefined;
  /** Names and types of a live kernel. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** Cells before that names are looked for in, and characters of each text that are read. */
const MAX_BEFORE = 5;
const MAX_CHARACTERS_BEFORE = 4000;
const MAX_CHARACTERS = 20_000;
const MAX_VARIABLES = 1000;

const REMARK = /^#/;
/** An import that ends in its line. */
const IMPORT = /^(?:import|from) [^(\\]*$/;

/** Reads what the user has once, for all hits of an answer. */
export function createHitAdapter(
  typedCode: string,
  { before = [], suffix: after = "", variables = {} }: AdaptContext,
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
  const align = (code: string): AlignedCell => {
    const source = readSourceLines(code);
    const outline = readOutline(code, source);
    const found = alignLines(typed.rows, source.rows, cursor.isAtLineStart);
    const last = found.at(-1);
    const partner = last?.typed === typed.rows.at(-1) ? last : undefined;
    const isWhole = partner?.isSameShape === true && !cursor.isMidway;
    const continuation = isWhole
      ? null
      : (continueMagic(outline, cursor) ?? findContinuation(code, outline, cursor, partner?.cell.row));
    const isBefore = ({ cell, restStart }: AlignedPair) =>
      restStart === undefined && (continuation === null || cell.row < continuation.statement.first);
    return { code, source, outline, pairs: found.filter(isBefore), continuation };
  };
  const insertInto = (cell: AlignedCell) => {
    const inside = new Set(cell.source.rows.flatMap(({ row, isInside }) => (isInside ? row : [])));
    return cutInsertion({ ...cell, inside }, cursor, {
      lines: said,
      suffix,
      findDone: (statements) => findLoadedAgain(statements, users()),
    });
  };
  const word = readBegunWord(cursor, own);
  const canStand = ({ continuation, source }: AlignedCell) =>
    continuation !== null || !(cursor.isUnfinished || (word !== null && !holdsWord(source, word)));
  const help = (code: string): HitAdaptation => {
    if (code.length > MAX_CHARACTERS)
      return wholeCell(code, cursor.isUnfinished || word !== null || after.trim() !== "");
    const cell = align(code);
    const raw = insertInto(cell);
    // Many cells are asked whether they bring anything; few are shown, and only those are adapted.
    let found: { cell: AdaptedCell; insertion: Insertion } | undefined;
    const adapt = () => {
      if (found !== undefined) return found;
      const adapted = adaptNames(cell, users(), align);
      const isRenamed = Object.keys(adapted.renamed).length > 0;
      found = { cell: adapted, insertion: isRenamed ? insertInto(adapted) : raw };
      return found;
    };
    const placed = (own: AlignedCell, insertion: Insertion) => (canStand(own) ? insertion : NO_INSERTION);
    return {
      matched: toRanges(cell.pairs),
      get insert() {
        const { text, continuesLine } = placed(cell, raw);
        // With the user's names a cell may say how a line goes on that it says nothing of with its own.
        return continuesLine === this.continuesLine ? text : "";
      },
      get continuesLine() {
        const { cell: adapted, insertion } = adapt();
        return placed(adapted, insertion).continuesLine;
      },
      get excerpt() {
        const start = cell.continuation?.statement.first ?? (cell.pairs.at(-1)?.cell.row ?? -1) + 1;
        return cutExcerpt(code, cell.source.rows, start);
      },
      get adapted() {
        const { cell: adapted, insertion } = adapt();
        return { code: adapted.code, insert: placed(adapted, insertion).text, renamed: adapted.renamed };
      },
      continuesTyped: cell.continuation?.isFromStart === true,
      get added() {
        return raw.text === "" ? "" : adapt().insertion.text;
      },
    };
  };
  const known = new Map<string, HitAdaptation>();
  return (code) => {
    if (!known.has(code)) known.set(code, help(code));
    return known.get(code)!;
  };
}

function findLines(pattern: RegExp, texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split("\n").map((line) => line.trim())).filter((line) => pattern.test(line));
}

/** A cell that is mostly data: nothing of it is compared. */
function wholeCell(code: string, isStuck: boolean): HitAdaptation {
  const excerpt = cutExcerpt(code, [], 0);
  const insert = isStuck ? "" : code;
  return {
    matched: [],
    insert,
    continuesLine: false,
    excerpt,
    adapted: { code, insert, renamed: {} },
    added: code,
    continuesTyped: false,
  };
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
