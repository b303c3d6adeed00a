import type { Token } from "../../src/python/tokenize.js";

/** For each token the index of the innermost bracket that is open around it, -1 for none. A bracket lies outside itself. */
export function enclosingBrackets(tokens: readonly Token[]): number[] {
  const open: number[] = [];
  return tokens.map(({ kind, text }, at) => {
    if (kind === "operator" && /^[)\]}]$/.test(text)) open.pop();
    const around = open.at(-1) ?? -1;
    if (kind === "operator" && /^[([{]$/.test(text)) open.push(at);
    return around;
  });
}
