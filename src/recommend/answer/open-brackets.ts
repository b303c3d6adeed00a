import type { Statement } from "./outline.js";

/** A bracket that is open at the cursor. */
export interface OpenBracket {
  readonly opener: string;
  readonly closer: string;
  /** Its index among the tokens of its statement. */
  readonly at: number;
}

/** A string that is open at the cursor. */
export interface OpenStringText {
  /** Its letters and quotes, `rb"` for instance, and the quotes alone. */
  readonly start: string;
  readonly quote: string;
  /** The typed part of its text. */
  readonly body: string;
}

const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Brackets that these tokens leave open, the innermost last. */
export function findOpenBrackets(tokens: Statement["tokens"]): OpenBracket[] {
  const open: OpenBracket[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "operator") continue;
    if (text in CLOSER) open.push({ opener: text, closer: CLOSER[text]!, at });
    else if (open.at(-1)?.closer === text) open.pop();
  }
  return open;
}
