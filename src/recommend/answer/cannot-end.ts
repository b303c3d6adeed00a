import type { OpenBracket, OpenStringText } from "./open-brackets.js";
import type { Statement } from "./outline.js";

type Tokens = Statement["tokens"];

/** Operators and keywords that may end a statement, or what stands in a bracket. */
const MAY_END = /^(?:[()\]};{]|\.\.\.|\?+|None|True|False|pass|break|continue|return|yield|raise)$/;
/** A word that stands alone before a colon. */
const ALONE = /^(?:else|try|finally)$/;
/** What starts a statement, and a word that has to come in it. */
const NEEDS: Readonly<Record<string, string>> = { from: "import", def: "(" };
const FIELD_STRING = /^[a-z]*[ft]/i;

/**
 * Whether a statement lacks something that closing its brackets and strings does not give: `df[df.age >`, `key=`, `le.`,
 * `for i`. `string` is the one that is open behind the tokens.
 */
export function cannotEnd(tokens: Tokens, open: readonly OpenBracket[], string: OpenStringText | null): boolean {
  const first = tokens[0];
  const last = tokens.at(-1);
  const isNeeded = first !== undefined && Object.hasOwn(NEEDS, first.text);
  if (isNeeded && !tokens.some(({ text }) => text === NEEDS[first.text])) return true;
  const inner = open.at(-1);
  if (
    lacks(tokens, "for", "in") ||
    lacks(tokens, "lambda", ":") ||
    (inner?.opener === "{" && isKey(tokens, inner.at, string))
  )
    return true;
  if (string !== null) return FIELD_STRING.test(string.start) && isInField(string.body);
  if (last === undefined || (last.kind !== "operator" && last.kind !== "keyword")) return false;
  if (ALONE.test(last.text)) return tokens.length > 1;
  if (last.text === ",") return inner === undefined;
  if (last.text === ":") return inner?.opener === "{" || inner?.opener === "(";
  if (last.text === "[") return isValue(tokens.at(-2));
  return !MAY_END.test(last.text);
}

/** Whether the bracket behind it picks something out of a value: it cannot stay empty, as a list can. */
function isValue(token: Tokens[number] | undefined): boolean {
  return token?.kind === "name" || token?.kind === "string" || /^[)\]}]$/.test(token?.text ?? "");
}

/** Whether the last of a word lacks another one behind it: a loop what it goes through, a lambda its value. */
function lacks(tokens: Tokens, word: string, other: string): boolean {
  const at = tokens.findLastIndex(({ text }) => text === word);
  return at !== -1 && !tokens.slice(at).some(({ text }) => text === other);
}

/** Whether the last that a dictionary holds is a key without its value. */
function isKey(tokens: Tokens, open: number, string: OpenStringText | null): boolean {
  let depth = 0;
  let start = open;
  let colon = -1;
  let isDictionary = false;
  for (let at = open + 1; at < tokens.length; at += 1) {
    const { text, kind } = tokens[at]!;
    if (kind !== "operator") continue;
    if ("([{".includes(text)) depth += 1;
    else if (")]}".includes(text)) depth -= 1;
    else if (depth === 0 && text === ",") start = at;
    else if (depth === 0 && text === ":") colon = at;
    isDictionary ||= colon !== -1;
  }
  const isEmpty = start === tokens.length - 1 && string === null;
  return isDictionary && !isEmpty && colon < start && !tokens[start + 1]?.text.startsWith("*");
}

/** Whether the last field of the text is open. Doubled braces are text. */
function isInField(body: string): boolean {
  const text = body.replace(/\{\{|\}\}/g, "");
  return text.lastIndexOf("{") > text.lastIndexOf("}");
}
