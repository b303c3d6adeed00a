import type { Token } from "../../python/tokenize.js";
import type { Cursor } from "./cursor.js";
import { findOpenBrackets } from "./open-brackets.js";

/** Whether the arguments behind `at` may follow the typed ones: none is given twice, and none without a name behind one with a name. */
export function agree(tokens: readonly Token[], at: number, cursor: Cursor): boolean {
  const mine = cursor.open.at(-1);
  const own = findOpenBrackets(tokens.slice(0, at + 1)).at(-1);
  if (mine?.opener !== "(" || own?.opener !== "(") return true;
  const { keywords } = readArguments(cursor.tokens, mine.at);
  if (keywords.length === 0) return true;
  const { commas, keywords: others } = readArguments(tokens, own.at);
  const rest = others.filter((other) => tokens.indexOf(other) > at);
  const next = tokens[at + 1]?.text ?? "";
  const isNamed =
    cursor.tokens.at(-1)!.text !== "," || next === ")" || tokens[at + 2]?.text === "=" || next.startsWith("*");
  // Behind the last comma there need not be anything.
  const following = commas.filter(
    (comma) => comma > at && comma + 1 < tokens.length && tokens[comma + 1]!.text !== ")",
  );
  return (
    isNamed &&
    following.every((comma) => tokens[comma + 2]?.text === "=" || tokens[comma + 1]!.text.startsWith("*")) &&
    !rest.some(({ text }) => keywords.some((known) => known.text === text))
  );
}

/** The commas and the names of keyword arguments of the call whose bracket stands at `open`. */
export function readArguments(tokens: readonly Token[], open: number): { commas: number[]; keywords: Token[] } {
  const commas: number[] = [];
  const keywords: Token[] = [];
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const { text, kind } = tokens[at]!;
    if (kind === "operator" && "([{".includes(text)) depth += 1;
    else if (kind === "operator" && ")]}".includes(text)) depth -= 1;
    if (depth === 0) break;
    if (depth > 1) continue;
    if (text === ",") commas.push(at);
    if (kind === "name" && tokens[at + 1]?.text === "=") keywords.push(tokens[at]!);
  }
  return { commas, keywords };
}
