import type { Mutator } from "../src/evaluate/suite.js";
import { type Edit, type ParsedCell, rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { freshName, wordsOf } from "./syntax/names.js";
import { findVariables } from "./syntax/scopes.js";
import { hasOwnLines, indentAt, lineStart, statementLists } from "./syntax/statement-edits.js";

/** Builtins that the loop relies on: a cell that redefines one of them is left unchanged. */
const NEEDED = new Set(["iter", "next", "StopIteration"]);

const forToWhile: Mutator = {
  name: "for-to-while",
  description: "Writes a for loop as a while loop over an iterator.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) => {
      const taken = wordsOf(code);
      if (findVariables(cell.root).some(({ name, scope }) => scope !== null && NEEDED.has(name))) return [];
      return statementLists(cell.root)
        .flat()
        .filter((statement) => isPlainLoop(cell, statement))
        .flatMap((loop) => toWhile(cell, loop, freshName("iterator", taken)));
    }),
};

export default forToWhile;

/**
 * Whether a loop can be rewritten: it has no `else`, which a `while True` would never reach, and its body is on
 * separate lines.
 */
function isPlainLoop(cell: ParsedCell, loop: SyntaxNode): boolean {
  if (loop.type !== "for_statement" || loop.firstChild?.type !== "for") return false;
  const body = loop.childForFieldName("body")!;
  if (loop.childForFieldName("alternative") !== null || body.namedChildCount === 0) return false;
  return (
    cell.code.slice(lineStart(cell.code, body.startIndex), body.startIndex).trim() === "" && hasOwnLines(cell, loop)
  );
}

function toWhile({ code }: ParsedCell, loop: SyntaxNode, iterator: string): Edit[] {
  const [target, iterable, body] = ["left", "right", "body"].map((field) => loop.childForFieldName(field)!);
  const [outer, inner] = [indentAt(code, loop.startIndex), indentAt(code, body!.startIndex)];
  // `for x in 1, 2` iterates over a tuple.
  const source = iterable!.type === "expression_list" ? `(${iterable!.text})` : iterable!.text;
  const colon = loop.children.find(({ type }) => type === ":")!.startIndex;
  // Only the step is inside the `try`, because a StopIteration of the body must not end the loop.
  const next = ["try:", `    ${target!.text} = next(${iterator})`, "except StopIteration:", "    break", ""];
  return [
    { start: loop.startIndex, end: colon, text: `${iterator} = iter(${source})\n${outer}while True` },
    { start: body!.startIndex, end: body!.startIndex, text: next.join(`\n${inner}`) },
  ];
}
