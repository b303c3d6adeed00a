import { BUILTINS } from "../../python/words.js";
import type { Cursor } from "./cursor.js";
import type { OwnCode } from "./match-names.js";
import type { SourceLines } from "./source-lines.js";

/**
 * The word at the cursor where it seems to be the start of a longer one, `asce` of `df.sort_index(asce`: it stands nowhere else in
 * what the user has, and inside brackets or in the head of a block, where a line seldom ends. Null elsewhere.
 */
export function readBegunWord(cursor: Cursor, { typed, before, variables }: OwnCode): string | null {
  const last = cursor.tokens.at(-1);
  const isInWord = cursor.string === null && last?.kind === "name" && !cursor.isSpaced;
  if (!isInWord || (cursor.open.length === 0 && !cursor.lacksColon)) return null;
  const isAttribute = cursor.tokens.at(-2)?.text === ".";
  const isKnown =
    (!isAttribute && BUILTINS.has(last.text)) ||
    Object.hasOwn(variables, last.text) ||
    countWord(typed, last.text) > 1 ||
    before.some((source) => holdsWord(source, last.text));
  return isKnown ? null : last.text;
}

export function holdsWord(source: SourceLines, word: string): boolean {
  return countWord(source, word) > 0;
}

function countWord({ logical }: SourceLines, word: string): number {
  let count = 0;
  for (const { tokens } of logical) for (const { text } of tokens) if (text === word) count += 1;
  return count;
}
