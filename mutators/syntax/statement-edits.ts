import type { Edit, ParsedCell, SyntaxNode } from "./edits.js";

/** Statements with a block, which cannot share a line with other statements. */
const COMPOUND =
  /^(?:if|for|while|try|with|match)_statement$|^(?:function|class|decorated)_definition$|^(?:case|elif|else|except|finally)_clause$/;

/** The statements of the cell and of every block in it, list by list. Class bodies are left out: a name bound there is an attribute. */
export function statementLists(root: SyntaxNode): SyntaxNode[][] {
  return [root, ...root.descendantsOfType("block")]
    .filter((block) => !isInClassBody(block))
    .map(statementsOf)
    .filter((list) => list.length > 0);
}

function isInClassBody(block: SyntaxNode): boolean {
  let node = block.parent;
  while (node !== null && node.type !== "class_definition" && node.type !== "function_definition") node = node.parent;
  return node?.type === "class_definition";
}

export function statementsOf(block: SyntaxNode): SyntaxNode[] {
  return block.namedChildren.filter((child) => child.type !== "comment");
}

/**
 * Applies an edit to pairs of adjacent statements on lines of their own, from first to last. No statement is in two
 * edits.
 */
export function editPairs(cell: ParsedCell, edit: (one: SyntaxNode, other: SyntaxNode) => Edit[]): Edit[] {
  return statementLists(cell.root).flatMap((list) => {
    const edits: Edit[] = [];
    for (let at = 0; at + 1 < list.length; at += 1) {
      const pair = [list[at]!, list[at + 1]!] as const;
      const found = pair.every((statement) => hasOwnLines(cell, statement)) ? edit(...pair) : [];
      edits.push(...found);
      if (found.length > 0) at += 1;
    }
    return edits;
  });
}

/** The node and everything under it that has a name in the grammar. */
export function namedNodes(root: SyntaxNode): SyntaxNode[] {
  const nodes = [root];
  for (let at = 0; at < nodes.length; at += 1) for (const child of nodes[at]!.namedChildren) nodes.push(child);
  return nodes;
}

export function isCompound(statement: SyntaxNode): boolean {
  return COMPOUND.test(statement.type);
}

/** Whether the statement's lines contain nothing else but a comment, and no magic. */
export function hasOwnLines({ code, magicLines }: ParsedCell, statement: SyntaxNode): boolean {
  const { startIndex, endIndex, startPosition, endPosition } = statement;
  const start = lineStart(code, startIndex);
  if (code.slice(start, startIndex).trim() !== "" || code.endsWith("\\", start - 1)) return false;
  if (!/^\s*(?:#|$)/.test(code.slice(endIndex, lineEnd(code, endIndex)))) return false;
  for (let line = startPosition.row; line <= endPosition.row; line += 1) if (magicLines.has(line)) return false;
  return true;
}

/** Offset of the line break that ends the line, or of the end of the code. */
export function lineEnd(code: string, at: number): number {
  const end = code.indexOf("\n", at);
  return end === -1 ? code.length : end;
}

export function lineStart(code: string, at: number): number {
  return at === 0 ? 0 : code.lastIndexOf("\n", at - 1) + 1;
}

/** The white space in front of the line. */
export function indentAt(code: string, at: number): string {
  return /^[ \t]*/.exec(code.slice(lineStart(code, at)))![0];
}

/** The nodes outside replacement fields of f-strings, in which quotes and line breaks are restricted. */
export function outsideStrings(nodes: readonly SyntaxNode[], root: SyntaxNode): SyntaxNode[] {
  // Compares offsets. Walking up to the root for each node would take time proportional to its depth.
  const { ends, starts } = outermost(root.descendantsOfType("interpolation"));
  return nodes.filter(({ startIndex }) => {
    const field = lastUpTo(starts, startIndex);
    return field === -1 || ends[field]! <= startIndex;
  });
}

/** The ranges of the outermost fields, in the order of the text. */
function outermost(fields: readonly SyntaxNode[]): { starts: number[]; ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { startIndex, endIndex } of fields) {
    if (startIndex < (ends.at(-1) ?? 0)) continue;
    starts.push(startIndex);
    ends.push(endIndex);
  }
  return { starts, ends };
}

/** The index of the last number that is at most `limit`, in ascending numbers; -1 for none. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
