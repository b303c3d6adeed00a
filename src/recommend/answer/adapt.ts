import { alignLines } from "./align.js";
import { matchNames, type OwnCode } from "./match-names.js";
import { type LogicalLine, readSourceLines, type SourceLines } from "./source-lines.js";

/** A cell in the user's names, and which of its names became which. */
export interface AdaptedCode {
  readonly code: string;
  readonly renamed: Readonly<Record<string, string>>;
}

/** A name that was found makes others clearer, so the cell is looked at again; more often than this brings nothing new. */
const MOST_ROUNDS = 4;

/** Replaces the cell's own names by those of the user that play the same parts. Adapting the result again changes nothing. */
export function adaptNames(code: string, own: OwnCode, isAtLineStart: boolean): AdaptedCode {
  let adapted = code;
  const renamed = new Map<string, string>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { rows, logical }: SourceLines = readSourceLines(adapted);
    const names = matchNames(logical, alignLines(own.typed.rows, rows, isAtLineStart), own);
    if (names.size === 0) break;
    adapted = rename(adapted, logical, names);
    for (const [from, to] of renamed) if (names.has(to)) renamed.set(from, names.get(to)!);
    for (const [from, to] of names) if (![...renamed.values()].includes(to)) renamed.set(from, to);
  }
  return { code: adapted, renamed: Object.fromEntries(renamed) };
}

function rename(code: string, lines: readonly LogicalLine[], names: ReadonlyMap<string, string>): string {
  let written = "";
  let done = 0;
  for (const { tokens, roles } of lines) {
    for (const [at, { text, start, end }] of tokens.entries()) {
      const to = roles[at] === "free" ? names.get(text) : undefined;
      if (to === undefined) continue;
      written += code.slice(done, start) + to;
      done = end;
    }
  }
  return written + code.slice(done);
}
