import { type Node, withTree } from "../../python/grammar.js";
import { maskMagics } from "../../python/tokenize.js";

/** A node of a syntax tree, copied out of the parser: asking the parser for every part again and again is slow. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly named: boolean;
  /** What its parent calls it: `left`, `value`, ... */
  readonly field: string | null;
  readonly children: readonly SyntaxNode[];
}

/** Deeper trees come of generated or hostile text, and would overflow whoever reads them recursively. */
const MOST_DEPTH = 1_500;

/** The tree of a cell without its magics; null where the parser gives up or the tree is too deep. */
export function readSyntaxTree(code: string): SyntaxNode | null {
  const masked = maskMagics(code);
  const read = (root: Node) => {
    const cursor = root.walk();
    try {
      return copy(cursor, masked, 1);
    } finally {
      cursor.delete();
    }
  };
  // A prediction may be cut in the middle of a line, and is compared all the same.
  return withTree(masked, read, true);
}

/** As much of the parser's cursor as is needed here. */
interface Cursor {
  readonly nodeType: string;
  readonly nodeIsNamed: boolean;
  readonly currentFieldName: string | null;
  readonly startIndex: number;
  readonly endIndex: number;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
}

function copy(cursor: Cursor, code: string, depth: number): SyntaxNode | null {
  if (depth > MOST_DEPTH) return null;
  const children: SyntaxNode[] = [];
  const node = {
    type: cursor.nodeType,
    text: code.slice(cursor.startIndex, cursor.endIndex),
    named: cursor.nodeIsNamed,
    field: cursor.currentFieldName,
    children,
  };
  if (!cursor.gotoFirstChild()) return node;
  do {
    const child = copy(cursor, code, depth + 1);
    if (child === null) return null;
    children.push(child);
  } while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return node;
}
