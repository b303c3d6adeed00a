import { strip } from "../../src/python/strip.js";
import { type Token, tokenize } from "../../src/python/tokenize.js";

/**
 * The first error in the tokens of a text, or null. Joined with the white space between them, the tokens must give the
 * text.
 */
export function findGap(code: string, tokens: readonly Token[]): string | null {
  let done = 0;
  for (const { text, start, end } of tokens) {
    if (start < done || end <= start || code.slice(start, end) !== text) return `wrong token ${JSON.stringify(text)}`;
    if (code.slice(done, start).trim() !== "") return `lost ${JSON.stringify(code.slice(done, start))}`;
    done = end;
  }
  return code.slice(done).trim() === "" ? null : `lost ${JSON.stringify(code.slice(done))}`;
}

/** The tokens that Python executes: all except comments and line ends. */
export function runningTokens(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ kind, text }) => (kind === "comment" || kind === "newline" ? [] : [`${kind} ${text}`]));
}

/** The first error in the line map of a cleaned text, or null. */
export function findLostLine(code: string, tokens: readonly Token[] = tokenize(code)): string | null {
  const clean = strip(code, tokens);
  let bare = code;
  for (const { kind, start, end } of tokens) {
    if (kind === "comment") bare = bare.slice(0, start) + " ".repeat(end - start) + bare.slice(end);
  }
  const originals = bare.split("\n");
  const lines = clean.lines.length === 0 ? [] : clean.text.split("\n");
  if (lines.length !== clean.lines.length) return `${lines.length} lines, ${clean.lines.length} in the map`;
  if (clean.lines.some((line, at) => at > 0 && line <= clean.lines[at - 1]!)) return "the map is not ascending";
  const different = lines.findIndex((line, at) => line.trimEnd() !== originals[clean.lines[at]!]?.trimEnd());
  if (different !== -1) return `line ${different} is not line ${clean.lines[different]}`;
  const kept = new Set(clean.lines);
  const dropped = originals.findIndex((line, at) => line.trim() !== "" && !kept.has(at));
  return dropped === -1 ? null : `line ${dropped} is lost`;
}
