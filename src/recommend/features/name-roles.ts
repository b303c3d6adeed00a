import type { Token } from "../../python/tokenize.js";
import { BUILTINS } from "../../python/words.js";

/** What a name is to its cell. Only a `free` name can be changed by renaming the cell's own things. */
export type NameRole = "free" | "attribute" | "keyword" | "module" | "builtin";

/** The role of every name token, null for other tokens. Works on tokens, so half-typed code has roles too. */
export function nameRoles(tokens: readonly Token[]): (NameRole | null)[] {
  const brackets: boolean[] = [];
  let imports: "none" | "import" | "from" = "none";
  return tokens.map(({ kind, text }, at) => {
    const before = tokens[at - 1];
    if (kind === "newline" || text === ";") {
      if (brackets.length === 0 || text === ";") imports = "none";
    } else if (kind === "keyword") {
      if (text === "from" && startsStatement(before)) imports = "from";
      else if (text === "import") imports = imports === "from" ? "none" : "import";
    } else if (kind === "operator") {
      if (text === "(") brackets.push(isCall(tokens, at));
      else if (text === "[" || text === "{") brackets.push(false);
      else if (text === ")" || text === "]" || text === "}") brackets.pop();
    }
    if (kind !== "name") return null;
    if (imports !== "none") return before?.text === "as" ? "free" : "module";
    if (before?.text === ".") return "attribute";
    if (brackets.at(-1) && tokens[at + 1]?.text === "=" && (before?.text === "(" || isGap(before))) return "keyword";
    return BUILTINS.has(text) ? "builtin" : "free";
  });
}

function startsStatement(before: Token | undefined): boolean {
  return before === undefined || before.kind === "newline" || before.text === ";" || before.text === ":";
}

/** A parenthesis calls when something callable stands before it; the one of a definition lists parameters. */
function isCall(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before?.kind === "name") return tokens[at - 2]?.text !== "def";
  return before?.text === ")" || before?.text === "]";
}

function isGap(before: Token | undefined): boolean {
  return before?.text === "," || before?.kind === "newline" || before?.kind === "comment";
}
