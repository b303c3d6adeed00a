/**
 * The text without the lines that hold only a comment. By line and not by token: the rest of a half-typed cell can start
 * inside a string, where tokens would be guesses.
 */
export function dropCommentLines(code: string): string {
  return code
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n");
}
