import type { Token } from "./tokenize.js";

/** Whether the token is a name that is called; one that is defined there is not. */
export function isCalled(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text;
  return tokens[at]?.kind === "name" && tokens[at + 1]?.text === "(" && before !== "def" && before !== "class";
}
