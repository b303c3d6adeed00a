import { lex } from "../../../python/lex.js";
import { freeNames } from "../../../python/name-roles.js";
import { neededNames } from "../../../python/needed-names.js";
import { scanString } from "../../../python/strings.js";
import { tokenize } from "../../../python/tokenize.js";
import { BUILTINS, KEYWORDS } from "../../../python/words.js";
import { addedTokens } from "./compare-lines.js";
import { type CursorCase, lineBeforeCursor } from "./cursor-cases.js";

const ENDS_IN_NAME = /[\p{ID_Start}_][\p{ID_Continue}]*$/u;
const STARTS_WITH_NAME = /^[\p{ID_Continue}]/u;
const STAR_IMPORT = /^[ \t]*from[^\n]+import[ \t]+\*/m;

/**
 * Whether the text uses a name that neither exists above nor is made by the text itself: running the line would raise a NameError.
 * Null where `from x import *` stands above, because then any name may exist.
 */
export function hasUndefinedName({ prefix, preceding }: Pick<CursorCase, "prefix" | "preceding">, text: string) {
  const above = [...preceding, prefix];
  if (above.some((code) => STAR_IMPORT.test(code))) return null;
  const known = new Set(above.flatMap((code) => [...namesIn(code)]));
  const whole = prefix + text;
  const used = freeNames(tokenize(whole)).filter(({ end }) => end > prefix.length);
  if (used.length === 0) return false;
  const needed = neededNames(whole);
  return used.some((name) => needed.has(name.text) && !known.has(name.text));
}

/**
 * Whether the text breaks a token: it leaves a string open that it opened, or that a line break then ends; it does not go on with
 * a begun name that exists nowhere; or its last name runs into the text after the cursor.
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

/** Whether the text closes a call with nothing in it where something is due. */
export function closesEmpty({ prefix, rest }: Pick<CursorCase, "prefix" | "rest">, text: string): boolean {
  return prefix.trimEnd().endsWith("(") && text.trimStart().startsWith(")") && !rest.trimStart().startsWith(")");
}

function leavesStringOpen(typed: string, text: string, suffix: string): boolean {
  const behind = suffix.split("\n", 1)[0]!;
  const whole = typed + text + behind;
  const cursor = typed.length;
  const end = cursor + text.length;
  return lex(whole, 0, false).some((token) => {
    if (token.kind !== "string" || token.end <= cursor || token.start >= end) return false;
    if (scanString(whole, token.start)!.closed) return false;
    return token.start >= cursor || token.end < end;
  });
}

/** Truth says that the name goes on; as far as it is typed nobody has heard of it, and the text does not go on with it. */
function abandonsName(
  prefix: string,
  typed: string,
  rest: string,
  preceding: readonly string[],
  text: string,
): boolean {
  const begun = ENDS_IN_NAME.exec(typed)?.[0];
  if (begun === undefined || KEYWORDS.has(begun) || BUILTINS.has(begun)) return false;
  const wanted = addedTokens(typed, rest)[0];
  if (wanted?.kind !== "name" || wanted.text.length <= begun.length || !wanted.text.startsWith(begun)) return false;
  if (STARTS_WITH_NAME.test(text)) return false;
  const before = prefix.slice(0, prefix.length - begun.length);
  return ![...preceding, before].some((code) => wordsIn(code).has(begun));
}

const NAMES = new Map<string, ReadonlySet<string>>();
const WORDS = new Map<string, ReadonlySet<string>>();
/** Cells above come back case after case. */
const MAX_KEPT = 2_000;

function namesIn(code: string): ReadonlySet<string> {
  return remember(NAMES, code, () => new Set(freeNames(tokenize(code)).map(({ text }) => text)));
}

function wordsIn(code: string): ReadonlySet<string> {
  return remember(WORDS, code, () => new Set(code.match(/[\p{ID_Start}_][\p{ID_Continue}]*/gu) ?? []));
}

function remember<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make();
  if (known.size >= MAX_KEPT) known.clear();
  known.set(key, found);
  return found;
}
