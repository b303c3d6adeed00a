import type { Cursor } from "./cursor.js";
import { MODULES, type OwnCode } from "./match-names.js";
import type { SourceLines } from "./source-lines.js";

/** Attributes that a line often ends with; most others are methods. */
const VALUE_ATTRIBUTES = new Set("shape columns dtypes dtype values index size T".split(" "));

/**
 * The name at the cursor where it may be the start of a longer one, or of a call: `df.gro`, `df = pd.read_csv`. It stands nowhere else
 * in what the user has. Null elsewhere. A line that ends so is finished only where the cell has that name, too.
 */
export function readBegunWord(cursor: Cursor, { typed, before, variables }: OwnCode): string | null {
  const last = cursor.tokens.at(-1);
  if (!cursor.isInWord || last === undefined) return null;
  if (cursor.tokens.at(-2)?.text === ".") {
    const isKnown = VALUE_ATTRIBUTES.has(last.text) || before.some((source) => holdsWord(source, last.text));
    return isKnown ? null : last.text;
  }
  const isKnown =
    MODULES.has(last.text) ||
    Object.hasOwn(variables, last.text) ||
    countWord(typed, last.text) > 1 ||
    before.some((source) => holdsWord(source, last.text));
  return isKnown ? null : last.text;
}

/** Whether the name occurs and is not called. */
export function holdsWord(source: SourceLines, word: string): boolean {
  return countWord(source, word) > 0;
}

function countWord({ logical }: SourceLines, word: string): number {
  let count = 0;
  for (const { tokens } of logical)
    for (const [at, { text }] of tokens.entries()) if (text === word && tokens[at + 1]?.text !== "(") count += 1;
  return count;
}
