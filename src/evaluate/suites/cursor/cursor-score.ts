import type { TargetCompletion } from "../../target.js";
import { characterGrams, chrF } from "../../text/chrf.js";
import { compareLine, insertedLine, type LineMatch, nextToken } from "./compare-lines.js";
import { type CursorCase, lineBeforeCursor } from "./cursor-cases.js";
import { breaksToken, closesEmpty, hasUndefinedName } from "./faults.js";

/** The values of one case. The last three are null where nothing was answered, `undefinedName` also where nobody can tell. */
export interface CursorScores {
  readonly exact: { readonly first: number; readonly best: number };
  readonly lenient: { readonly first: number; readonly best: number };
  readonly next: { readonly first: number; readonly among3: number; readonly reciprocal: number };
  readonly chrf: number;
  readonly answered: number;
  readonly undefinedName: number | null;
  readonly brokenToken: number | null;
  readonly emptyCall: number | null;
  /** Of each completion: whether it is what it claims to be. */
  readonly right: readonly boolean[];
}

const MRR_DEPTH = 10;

/** Scores the completions of a case, best first. `suffix` is the text after the cursor where the target was told of it. */
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

/** The rank of the true token among the distinct next tokens of the list, from 1; null where it is not among them. */
function nextTokenRank(matches: readonly LineMatch[], wanted: string | null): number | null {
  const tokens = new Set(matches.flatMap(({ next }) => (next === null ? [] : [next])));
  const at = [...tokens].indexOf(wanted ?? "");
  return at === -1 ? null : at + 1;
}

const toNumber = (is: boolean): number => (is ? 1 : 0);
