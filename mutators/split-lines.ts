import type { Mutator } from "../src/evaluate/suite.js";
import { type Edit, type ParsedCell, rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { hasOwnLines, indentAt, lineStart, statementLists } from "./syntax/statement-edits.js";

const splitLines: Mutator = {
  name: "split-lines",
  description: "Writes every statement between semicolons, and every imported name, on its own line.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) =>
      statementLists(cell.root).flatMap((list) => [
        ...splitStatements(cell, list),
        ...list
          .filter((statement) => hasOwnLines(cell, statement))
          .flatMap((statement) => splitImport(code, statement)),
      ]),
    ),
};

export default splitLines;

function splitStatements({ code, magicLines }: ParsedCell, list: readonly SyntaxNode[]): Edit[] {
  const { startIndex } = list[0]!;
  // Skips the body of `if x: a; b`, which is on the line of its `if`.
  if (code.slice(lineStart(code, startIndex), startIndex).trim() !== "") return [];
  return list.slice(1).flatMap((statement, at) => {
    const before = list[at]!;
    const isSeparated = /^[ \t]*;[ \t]*$/.test(code.slice(before.endIndex, statement.startIndex));
    if (!isSeparated || magicLines.has(statement.startPosition.row)) return [];
    const text = `\n${indentAt(code, before.startIndex)}`;
    return [{ start: before.endIndex, end: statement.startIndex, text }];
  });
}

/** Splits `from a import b, c` into two imports. */
function splitImport(code: string, statement: SyntaxNode): Edit[] {
  const { type, startIndex, endIndex } = statement;
  if (type !== "import_statement" && type !== "import_from_statement") return [];
  const names = statement.childrenForFieldName("name");
  if (names.length < 2 || statement.descendantsOfType("comment").length > 0) return [];
  const from = statement.childForFieldName("module_name");
  const head = from === null ? "import" : `from ${from.text} import`;
  const text = names.map((name) => `${head} ${name.text}`).join(`\n${indentAt(code, startIndex)}`);
  return [{ start: startIndex, end: endIndex, text }];
}
