import { isRenamable } from "../../python/name-roles.js";
import type { Token } from "../../python/tokenize.js";
import type { SourceRow } from "./source-lines.js";

/** A line of the cell that matches a typed one. */
export interface AlignedPair {
  readonly typed: SourceRow;
  readonly cell: SourceRow;
  /** Whether the two lines differ only in variable names, so that the names correspond one to one. */
  readonly isSameShape: boolean;
  /** Offset in the cell of the part of its line that is not typed yet. Undefined if the whole line is typed. */
  readonly restStart?: number;
}

/** Maximum numbers of typed lines, cell lines and words that are compared. They bound the time for any text. */
const MAX_TYPED = 40;
const MAX_CELL = 400;
/** This many of the last typed lines may also match a line that is only similar. */
const LOOSE_LINES = 3;
const MIN_LIKENESS = 0.5;
/** Factor for the weight of the line that is being typed, which best shows where the cell continues. */
const LAST_LINE_WEIGHT = 3;

interface Score {
  readonly value: number;
  readonly isSameShape: boolean;
  readonly restStart?: number;
}

/**
 * Finds the lines of the cell that are already typed: the alignment, in order, with the highest total weight. Variable
 * names may differ. The last typed lines may also differ in literals, or be only similar.
 */
export function alignLines(
  typedLines: readonly SourceRow[],
  cellLines: readonly SourceRow[],
  isAtLineStart: boolean,
): AlignedPair[] {
  const typed = typedLines.slice(-MAX_TYPED);
  const cell = cellLines.slice(0, MAX_CELL);
  const width = cell.length + 1;
  const words: (readonly string[] | undefined)[] = new Array(cell.length).fill(undefined);
  const scores = typed.map((line, at) => {
    const fromLast = typed.length - 1 - at;
    const isBeingTyped = fromLast === 0 && !isAtLineStart;
    const isHalf = isBeingTyped && isUnfinished(line);
    const isInWord = isBeingTyped && line.tokens.at(-1)?.kind === "name";
    const weight = weigh(line) * (fromLast === 0 ? LAST_LINE_WEIGHT : 1);
    const isLoose = fromLast < LOOSE_LINES && !isHalf;
    const place = { weight, isLast: fromLast === 0, isHalf, isInWord, words: isLoose ? fixedWords(line) : null };
    return cell.map((other, index) =>
      compare(line, other, place, () => {
        words[index] ??= fixedWords(other);
        return words[index];
      }),
    );
  });
  // best[i][j]: the highest weight of an alignment of the first i typed lines with the first j lines of the cell.
  const best = new Float64Array((typed.length + 1) * width);
  for (let i = 1; i <= typed.length; i += 1) {
    for (let j = 1; j <= cell.length; j += 1) {
      const both = best[(i - 1) * width + j - 1]! + (scores[i - 1]![j - 1]?.value ?? 0);
      best[i * width + j] = Math.max(best[(i - 1) * width + j]!, best[i * width + j - 1]!, both);
    }
  }
  const pairs: AlignedPair[] = [];
  for (let i = typed.length, j = cell.length; i > 0 && j > 0; ) {
    const here = best[i * width + j]!;
    if (here === best[i * width + j - 1]) j -= 1;
    else if (here === best[(i - 1) * width + j]) i -= 1;
    else {
      const { isSameShape, restStart } = scores[i - 1]![j - 1]!;
      const pair = { typed: typed[i - 1]!, cell: cell[j - 1]!, isSameShape };
      pairs.push(restStart === undefined ? pair : { ...pair, restStart });
      i -= 1;
      j -= 1;
    }
  }
  pairs.reverse();
  // If the last line is only similar, it is a different line, and the cell adds it.
  const last = pairs.at(-1);
  const isLoose = last !== undefined && !last.isSameShape && last.restStart === undefined;
  return isLoose && last.cell === cellLines.at(-1) ? pairs.slice(0, -1) : pairs;
}

interface Place {
  readonly weight: number;
  readonly isLast: boolean;
  /**
   * Whether the line may be unfinished, possibly in the middle of a name: `df = pd.read_` may be complete, or the start
   * of `pd.read_csv(`.
   */
  readonly isHalf: boolean;
  readonly isInWord: boolean;
  /** The words to compare with those of a similar line; null if similar lines do not count. */
  readonly words: readonly string[] | null;
}

function compare(typed: SourceRow, cell: SourceRow, place: Place, wordsOfCell: () => readonly string[]): Score | null {
  const { weight, isLast, isHalf, isInWord, words } = place;
  const { length } = typed.tokens;
  const isSameLength = length === cell.tokens.length;
  if (isSameLength && haveSameText(typed, cell)) return { value: weight, isSameShape: true };
  if (isSameLength && haveSameShape(typed, cell, length, false)) return { value: 0.9 * weight, isSameShape: true };
  if (isHalf || isInWord) {
    const restStart = findRest(typed, cell);
    const isRest = restStart !== null && (isHalf || restStart < cell.tokens[length - 1]!.end);
    if (isRest) return { value: 0.8 * weight, isSameShape: false, restStart };
  }
  if (isSameLength && haveSameShape(typed, cell, length, true)) return { value: 0.7 * weight, isSameShape: true };
  if (words === null) return null;
  const likeness = Math.max(likenessOf(words, wordsOfCell()), isLast && hasSameHead(typed, cell) ? MIN_LIKENESS : 0);
  return likeness < MIN_LIKENESS ? null : { value: 0.5 * likeness * weight, isSameShape: false };
}

/** Whether the two lines are equal except for variable names and literals. */
export function isSameLine(left: SourceRow, right: SourceRow): boolean {
  const { length } = left.tokens;
  if (length !== right.tokens.length) return false;
  return haveSameText(left, right) || haveSameShape(left, right, length, true);
}

function haveSameText({ tokens }: SourceRow, other: SourceRow): boolean {
  for (let at = 0; at < tokens.length; at += 1) if (tokens[at]!.text !== other.tokens[at]!.text) return false;
  return true;
}

/**
 * Whether the first `count` tokens are equal except for variable names, which must correspond one to one. If `isLoose`,
 * literals may differ too. Names of called functions must be equal.
 */
export function haveSameShape(left: SourceRow, right: SourceRow, count: number, isLoose: boolean): boolean {
  let free = 0;
  for (let at = 0; at < count; at += 1) {
    const [own, other] = [left.tokens[at]!, right.tokens[at]!];
    const isFree = isRenamableAt(left, at);
    if (isFree !== isRenamableAt(right, at)) return false;
    if (isFree) free += 1;
    else if (own.text !== other.text && !(isLoose && isValue(own) && isValue(other))) return false;
  }
  return free === 0 || namesCorrespond(left, right, count);
}

function namesCorrespond(left: SourceRow, right: SourceRow, count: number): boolean {
  const partners = new Map<string, string>();
  const taken = new Set<string>();
  for (let at = 0; at < count; at += 1) {
    if (!isRenamableAt(left, at)) continue;
    const [own, other] = [left.tokens[at]!.text, right.tokens[at]!.text];
    const partner = partners.get(own);
    if (partner === undefined ? taken.has(other) : partner !== other) return false;
    partners.set(own, other);
    taken.add(other);
  }
  return true;
}

function isRenamableAt({ tokens, roles }: SourceRow, at: number): boolean {
  // `from a import b` needs the name `b`, unlike `from a import b as c`.
  const isBound = roles[at] === "imported" && tokens[at - 1]?.text !== "as";
  return isRenamable(roles[at]) && !isBound && tokens[at + 1]?.text !== "(";
}

function isValue({ kind }: Token): boolean {
  return kind === "string" || kind === "number";
}

/** The weight of a matched line: low for a common line such as `x = y`, high for a call with keyword arguments. */
function weigh({ tokens, roles }: SourceRow): number {
  let telling = 0;
  for (let at = 0; at < roles.length; at += 1) {
    const role = roles[at]!;
    const isCalled = tokens[at + 1]?.text === "(";
    if (role === null ? tokens[at]!.kind !== "operator" : isCalled || !isRenamable(role)) telling += 1;
  }
  return 0.2 + Math.min(1, telling / 3);
}

/**
 * Whether the line may be unfinished: it has an open bracket, ends in an operator, or is an expression that ends in a
 * name.
 */
function isUnfinished({ depth, tokens }: SourceRow): boolean {
  const last = tokens.at(-1)!;
  if (depth > 0) return last.text !== ",";
  if (last.kind === "operator") return !/^(?:[)\]}:;]|\.\.\.)$/.test(last.text);
  if (last.kind === "keyword")
    return !/^(?:None|True|False|pass|break|continue|return|else|try|finally)$/.test(last.text);
  return last.kind === "name" && !tokens.some(({ text }) => text === "=");
}

/**
 * The offset at which the cell's line continues after the typed part; null if it does not start with the typed part.
 */
function findRest(typed: SourceRow, cell: SourceRow): number | null {
  if (typed.tokens.length > cell.tokens.length) return null;
  const names = new Map<string, string>();
  for (let at = 0; at < typed.tokens.length; at += 1) {
    const token = typed.tokens[at]!;
    const other = cell.tokens[at]!;
    const isLast = at === typed.tokens.length - 1;
    if (token.kind !== other.kind) return null;
    if (token.text === other.text) continue;
    if (isLast && token.kind === "name" && other.text.startsWith(token.text)) return other.start + token.text.length;
    if (!isRenamable(typed.roles[at]) || !isRenamable(cell.roles[at])) return null;
    if ((names.get(other.text) ?? token.text) !== token.text) return null;
    names.set(other.text, token.text);
  }
  return cell.tokens[typed.tokens.length - 1]!.end;
}

/**
 * Whether both lines make the same call at the same position, such as `model = xgb.XGBClassifier(`, with different
 * arguments.
 */
function hasSameHead(left: SourceRow, right: SourceRow): boolean {
  const at = left.tokens.findIndex(({ text }) => text === "(");
  if (at < 1 || left.roles[at - 1] === "builtin" || left.tokens[at - 1]!.kind !== "name") return false;
  return right.tokens.findIndex(({ text }) => text === "(") === at && haveSameShape(left, right, at, false);
}

const MAX_WORDS = 40;
/** Marks words that are already matched. One buffer for all comparisons, because thousands of lines are compared. */
const taken = new Uint8Array(MAX_WORDS);

/** Share of the words that the two lines have in common, 0 to 1. */
function likenessOf(wanted: readonly string[], found: readonly string[]): number {
  if (wanted.length === 0 || found.length === 0) return 0;
  taken.fill(0);
  let shared = 0;
  for (const word of wanted) {
    let at = 0;
    while (at < found.length && (taken[at] === 1 || found[at] !== word)) at += 1;
    if (at === found.length) continue;
    taken[at] = 1;
    shared += 1;
  }
  return (2 * shared) / (wanted.length + found.length);
}

/** The words that renaming does not change. */
function fixedWords({ tokens, roles }: SourceRow): string[] {
  const words: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    const isCall = kind === "name" && tokens[at + 1]?.text === "(";
    const stays = kind === "name" ? isCall || !isRenamable(roles[at]) : kind === "keyword" || kind === "magic";
    if (stays && words.length < MAX_WORDS) words.push(text);
  }
  return words;
}
