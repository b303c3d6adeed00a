import type { Statement } from "./outline.js";

/** A bracket that is open at the cursor. */
export interface OpenBracket {
  readonly opener: string;
  readonly closer: string;
  /** Index of the bracket among the tokens of its statement. */
  readonly at: number;
}

/** A string that is open at the cursor. */
export interface OpenStringText {
  /** `start` is the prefix with the quotes, such as `rb"`; `quote` is the quotes alone. */
  readonly start: string;
  readonly quote: string;
  /** The text typed after the opening quotes. */
  readonly body: string;
}

const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** The brackets that are not closed by these tokens, innermost last. */
export function findOpenBrackets(tokens: Statement["tokens"]): OpenBracket[] {
  const open: OpenBracket[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "operator") continue;
    if (text in CLOSER) open.push({ opener: text, closer: CLOSER[text]!, at });
    else if (open.at(-1)?.closer === text) open.pop();
  }
  return open;
}
