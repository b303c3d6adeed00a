import type { Token } from "../../python/tokenize.js";
import type { Cursor } from "./cursor.js";
import { findOpenBrackets } from "./open-brackets.js";

/**
 * Whether the arguments after `at` may follow the typed arguments: no argument is repeated, and no positional argument
 * follows a keyword argument.
 */
export function agree(tokens: readonly Token[], at: number, cursor: Cursor): boolean {
  const mine = cursor.open.at(-1);
  const own = findOpenBrackets(tokens.slice(0, at + 1)).at(-1);
  if (mine?.opener !== "(" || own?.opener !== "(") return true;
  const { keywords } = readArguments(cursor.tokens, mine.at);
  const { commas, keywords: others } = readArguments(tokens, own.at);
  const rest = others.filter((other) => tokens.indexOf(other) > at);
  // A tuple has no keyword arguments.
  const isTuple =
    cursor.tokens[mine.at - 1]?.kind !== "name" && !/^[)\]]$/.test(cursor.tokens[mine.at - 1]?.text ?? "");
  if (isTuple && rest.length > 0) return false;
  if (keywords.length === 0) return true;
  const next = tokens[at + 1]?.text ?? "";
  const isNamed =
    cursor.tokens.at(-1)!.text !== "," || next === ")" || tokens[at + 2]?.text === "=" || next.startsWith("*");
  // A trailing comma needs no further argument.
  const following = commas.filter(
    (comma) => comma > at && comma + 1 < tokens.length && tokens[comma + 1]!.text !== ")",
  );
  return (
    isNamed &&
    following.every((comma) => tokens[comma + 2]?.text === "=" || tokens[comma + 1]!.text.startsWith("*")) &&
    !rest.some(({ text }) => keywords.some((known) => known.text === text))
  );
}

/** The commas and the names of keyword arguments of the call whose bracket is at `open`. */
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
