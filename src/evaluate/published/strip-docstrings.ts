import { PythonTokenError, tokenizePython } from "./python-tokens.js";

/**
 * The code that CodeBLEU parses: without comments, docstrings and blank lines, put together again from Python's tokens. Any
 * string that starts a line counts as a docstring, and a line break behind a backslash is lost. Code that `tokenize` does
 * not accept stays as it is.
 */
export function stripDocstrings(code: string): string {
  const tokens = readTokens(code);
  if (tokens === null) return code;
  let text = "";
  let before = "indent";
  let [line, column] = [-1, 0];
  for (const token of tokens) {
    if (token.line > line) column = 0;
    if (token.column > column) text += " ".repeat(token.column - column);
    if (token.kind === "string") {
      if (before !== "indent" && before !== "newline" && token.column > 0) text += token.text;
    } else if (token.kind !== "comment") text += token.text;
    before = token.kind;
    [line, column] = [token.endLine, token.endColumn];
  }
  return text
    .split("\n")
    .filter((one) => one.trim() !== "")
    .join("\n");
}

function readTokens(code: string) {
  try {
    return tokenizePython(code);
  } catch (error) {
    if (error instanceof PythonTokenError) return null;
    throw error;
  }
}
