import type { TargetCompletion } from "../../target.js";
import { compareLine } from "./compare-lines.js";
import { codeLines } from "./cursor-cases.js";

type Suggestion = Pick<TargetCompletion, "text" | "confidence"> | null;

/** Suggests a text after `prefix` with at least this confidence; null for none. */
export type Suggest = (prefix: string, minConfidence: number) => Promise<Suggestion>;

/** Counts for one cell, typed with suggestions above a threshold. */
export interface TypedCell {
  readonly threshold: number;
  /** Characters of the cell's code, without indentation, comments and line breaks. */
  readonly characters: number;
  /** Characters from accepted suggestions, and the number of acceptances, each of which is one keystroke. */
  readonly accepted: number;
  readonly acceptances: number;
  readonly shown: number;
  /** Number of suggestions that were completely right. */
  readonly right: number;
}

/** The display thresholds, lowest first. */
const THRESHOLDS: readonly number[] = Array.from({ length: 20 }, (_, at) => at / 20);

/**
 * Simulates typing a cell, once per threshold. After every token and line break, the typist accepts the correct start
 * of the first suggestion, up to the end of a token, with one key. A suggestion counts for all thresholds up to its
 * confidence. For a higher threshold the target is asked again, because a shorter text may be likelier, unless it
 * `ignoresThreshold`.
 */
export async function typeCell(
  code: string,
  suggest: Suggest,
  { thresholds = THRESHOLDS, ignoresThreshold = false }: TypingOptions = {},
): Promise<TypedCell[]> {
  const answers = new Map<number, Suggestion>();
  const typed: TypedCell[] = [];
  for (const threshold of thresholds) {
    const ask = async (cursor: number) => {
      const known = answers.get(cursor);
      const isGood = known === null || (known !== undefined && (ignoresThreshold || confidenceOf(known) >= threshold));
      const answer = isGood ? known : await suggest(code.slice(0, cursor), threshold);
      answers.set(cursor, answer);
      return answer;
    };
    typed.push(await typeAt(code, ask, threshold));
  }
  return typed;
}

interface TypingOptions {
  readonly thresholds?: readonly number[];
  readonly ignoresThreshold?: boolean;
}

/** Suggestions without a confidence are always shown. */
const confidenceOf = ({ confidence }: NonNullable<Suggestion>): number => confidence ?? 1;

async function typeAt(code: string, ask: (cursor: number) => Promise<Suggestion>, threshold: number) {
  const sum = { threshold, characters: 0, accepted: 0, acceptances: 0, shown: 0, right: 0 };
  for (const [index, { start, end, tokens }] of codeLines(code).entries()) {
    sum.characters += end - tokens[0]!.start;
    // Nothing is typed yet: there is nothing to complete.
    let typedTokens = index === 0 ? 1 : 0;
    while (typedTokens < tokens.length) {
      const cursor = typedTokens === 0 ? start : tokens[typedTokens - 1]!.end;
      const suggestion = await ask(cursor);
      const isShown = suggestion !== null && suggestion.text.trim() !== "" && confidenceOf(suggestion) >= threshold;
      const match = isShown ? compareLine(code.slice(start, cursor), suggestion.text, code.slice(cursor, end)) : null;
      sum.shown += isShown ? 1 : 0;
      sum.right += match?.isPrefix ? 1 : 0;
      const accepted = match?.equalTokens ?? 0;
      if (accepted > 0) {
        sum.accepted += tokens[typedTokens + accepted - 1]!.end - (typedTokens === 0 ? tokens[0]!.start : cursor);
        sum.acceptances += 1;
      }
      typedTokens += Math.max(1, accepted);
    }
  }
  return sum;
}

/** One point of the curve over all cells. */
interface CurvePoint {
  readonly threshold: number;
  /** Share of keystrokes saved: (accepted characters - acceptances) / characters. */
  readonly saved: number;
  readonly shown: number;
  /** Share of the shown suggestions that were completely right; null if none was shown. */
  readonly right: number | null;
}

/** Sums the counts of all cells for each threshold. */
export function savingCurve(cells: readonly (readonly TypedCell[])[]): CurvePoint[] {
  return (cells[0] ?? []).map(({ threshold }, at) => {
    const sum = (of: (cell: TypedCell) => number) => cells.reduce((total, cell) => total + of(cell[at]!), 0);
    const shown = sum((cell) => cell.shown);
    const characters = sum((cell) => cell.characters);
    return {
      threshold,
      saved: characters === 0 ? 0 : sum((cell) => cell.accepted - cell.acceptances) / characters,
      shown,
      right: shown === 0 ? null : sum((cell) => cell.right) / shown,
    };
  });
}

/** Minimum share of right suggestions; with fewer, people switch suggestions off. */
const MIN_RIGHT = 0.5;

/**
 * The point that saves most keystrokes, among points with at least half of the shown suggestions right; null if there
 * is none.
 */
export function bestPoint(curve: readonly CurvePoint[]): CurvePoint | null {
  const bearable = curve.filter(({ right }) => right !== null && right >= MIN_RIGHT);
  return bearable.reduce<CurvePoint | null>((best, point) => (best && best.saved >= point.saved ? best : point), null);
}
