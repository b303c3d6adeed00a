import { BUILTINS, KEYWORDS, lex } from "../../../python/lex.js";
import { scanString } from "../../../python/strings.js";
import type { TargetCompletion } from "../../target.js";
import { characterGrams, chrF } from "../../text/character-grams.js";
import { hasUndefinedName } from "../../text/name-check.js";
import { addedTokens, compareLine, insertedLine, type LineMatch, nextToken } from "./compare-lines.js";
import { type CursorCase, lineBeforeCursor } from "./cursor-cases.js";

/** The values of one case. The last three are null without an answer, `undefinedName` also if it cannot be determined. */
export interface CursorScores {
  readonly exact: { readonly first: number; readonly best: number };
  readonly lenient: { readonly first: number; readonly best: number };
  readonly next: { readonly first: number; readonly among3: number; readonly reciprocal: number };
  readonly chrf: number;
  readonly answered: number;
  readonly undefinedName: number | null;
  readonly brokenToken: number | null;
  readonly emptyCall: number | null;
  /** For each completion with a confidence, whether it was right. */
  readonly right: readonly boolean[];
}

const MRR_DEPTH = 10;

/** Scores the completions of a case. `suffix` is the text after the cursor, if it was sent. */
export function scoreCursor(
  each: CursorCase,
  completions: readonly TargetCompletion[],
  suffix: string | undefined,
): CursorScores {
  const { prefix, rest } = each;
  const typed = lineBeforeCursor(prefix);
  const matches = completions.map(({ text }) => compareLine(typed, text, rest));
  const first = completions[0];
  const firstLine = first === undefined ? "" : insertedLine(typed, first.text);
  const isAnswered = first !== undefined && first.text.trim() !== "";
  const hasFirst = (is: (match: LineMatch) => boolean) => toNumber(matches.length > 0 && is(matches[0]!));
  const rank = nextTokenRank(matches, nextToken(typed, rest));
  const undefinedName = isAnswered ? hasUndefinedName(each, firstLine) : null;
  return {
    exact: {
      first: hasFirst(({ isExact }) => isExact),
      best: toNumber(matches.some(({ isExact }) => isExact)),
    },
    lenient: {
      first: hasFirst(({ isLenient }) => isLenient),
      best: toNumber(matches.some(({ isLenient }) => isLenient)),
    },
    next: {
      first: toNumber(rank === 1),
      among3: toNumber(rank !== null && rank <= 3),
      reciprocal: rank !== null && rank <= MRR_DEPTH ? 1 / rank : 0,
    },
    chrf: isAnswered ? chrF(characterGrams(firstLine), characterGrams(rest)) : 0,
    answered: toNumber(isAnswered),
    undefinedName: undefinedName === null ? null : toNumber(undefinedName),
    brokenToken: isAnswered ? toNumber(breaksToken(each, first.text, suffix)) : null,
    emptyCall: isAnswered ? toNumber(closesEmpty(each, first.text)) : null,
    right: completions.map(({ kind }, at) => (kind === "token" ? matches[at]!.isPrefix : matches[at]!.isExact)),
  };
}

/** The rank, from 1, of the real next token among the distinct next tokens of the list; null if missing. */
function nextTokenRank(matches: readonly LineMatch[], wanted: string | null): number | null {
  const tokens = new Set(matches.flatMap(({ next }) => (next === null ? [] : [next])));
  const at = [...tokens].indexOf(wanted ?? "");
  return at === -1 ? null : at + 1;
}

const toNumber = (is: boolean): number => (is ? 1 : 0);

const ENDS_IN_NAME = /[\p{ID_Start}_][\p{ID_Continue}]*$/u;
const STARTS_WITH_NAME = /^[\p{ID_Continue}]/u;

/**
 * Whether the text breaks a token: it leaves a string open, does not continue a half-typed undefined name, or its last
 * name merges with the text after the cursor.
 */
export function breaksToken(
  { prefix, rest, preceding }: Pick<CursorCase, "prefix" | "rest" | "preceding">,
  text: string,
  suffix = "",
): boolean {
  const typed = lineBeforeCursor(prefix);
  return (
    leavesStringOpen(typed, text, suffix) ||
    (ENDS_IN_NAME.test(text) && STARTS_WITH_NAME.test(suffix)) ||
    abandonsName(prefix, typed, rest, preceding, text)
  );
}

/** Whether the text closes a call without arguments although the real line has some. */
export function closesEmpty({ prefix, rest }: Pick<CursorCase, "prefix" | "rest">, text: string): boolean {
  return prefix.trimEnd().endsWith("(") && text.trimStart().startsWith(")") && !rest.trimStart().startsWith(")");
}

function leavesStringOpen(typed: string, text: string, suffix: string): boolean {
  const behind = suffix.split("\n", 1)[0]!;
  const fullLine = typed + text + behind;
  const cursor = typed.length;
  const end = cursor + text.length;
  return lex(fullLine, 0, false).some((token) => {
    if (token.kind !== "string" || token.end <= cursor || token.start >= end) return false;
    if (scanString(fullLine, token.start)!.closed) return false;
    return token.start >= cursor || token.end < end;
  });
}

/**
 * Whether the real line continues the half-typed name, the typed part is not a name itself, and the text does not
 * continue it.
 */
function abandonsName(
  prefix: string,
  typed: string,
  rest: string,
  preceding: readonly string[],
  text: string,
): boolean {
  const halfTyped = ENDS_IN_NAME.exec(typed)?.[0];
  if (halfTyped === undefined || KEYWORDS.has(halfTyped) || BUILTINS.has(halfTyped)) return false;
  const wanted = addedTokens(typed, rest)[0];
  if (wanted?.kind !== "name" || wanted.text.length <= halfTyped.length || !wanted.text.startsWith(halfTyped))
    return false;
  if (STARTS_WITH_NAME.test(text)) return false;
  const before = prefix.slice(0, prefix.length - halfTyped.length);
  return ![...preceding, before].some((code) => wordsIn(code).has(halfTyped));
}

const cachedWords = new Map<string, ReadonlySet<string>>();
/** Maximum number of cells with cached words. Words are cached, because many cases share the cells above. */
const MAX_CACHED_CELLS = 2_000;

function wordsIn(code: string): ReadonlySet<string> {
  const found = cachedWords.get(code) ?? new Set(code.match(/[\p{ID_Start}_][\p{ID_Continue}]*/gu) ?? []);
  if (cachedWords.size >= MAX_CACHED_CELLS) cachedWords.clear();
  cachedWords.set(code, found);
  return found;
}
