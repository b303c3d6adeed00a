import { type Node, withTree } from "../../python/grammar.js";

/** A node of a syntax tree, copied out of the parser, because access through the parser is slow. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly named: boolean;
  /** Whether the parser inserted this node to recover from an error. */
  readonly missing: boolean;
  /** The field name in its parent: `left`, `value`, ... */
  readonly field: string | null;
  readonly children: readonly SyntaxNode[];
}

export interface SyntaxTree {
  readonly code: string;
  readonly root: SyntaxNode;
}

/** Maximum depth of a tree; deeper trees (generated or hostile text) would overflow recursive code. */
const MAX_DEPTH = 1_500;

/** The tree of a text; null if the parser gives up or the tree is too deep. */
export function readSyntaxTree(code: string): SyntaxTree | null {
  const read = (node: Node) => {
    const cursor = node.walk();
    try {
      return copy(cursor, 1);
    } finally {
      cursor.delete();
    }
  };
  // Predictions may end in the middle of a line and are still compared.
  const root = withTree(code, read, true);
  return root === null ? null : { code, root };
}

/** The part of the parser's cursor that is used here. */
interface Cursor {
  readonly nodeType: string;
  readonly nodeIsNamed: boolean;
  readonly nodeIsMissing: boolean;
  readonly currentFieldName: string | null;
  readonly startIndex: number;
  readonly endIndex: number;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
}

/**
 * `not in` and `is not`. The grammar that the package codebleu is tied to (tree-sitter-python 0.21) has two tokens of that
 * type instead of a node of two tokens, and published figures depend on it.
 */
const isTwoWords = ({ named, children }: SyntaxNode): boolean => !named && children.length > 0;

/** A backslash that escapes nothing (`"$\\mu$"`). That grammar has no token for it. */
const isLoneBackslash = ({ type, named }: SyntaxNode): boolean => type === "\\" && !named;

function copy(cursor: Cursor, depth: number): SyntaxNode | null {
  if (depth > MAX_DEPTH) return null;
  const children: SyntaxNode[] = [];
  const node = {
    type: cursor.nodeType,
    start: cursor.startIndex,
    end: cursor.endIndex,
    named: cursor.nodeIsNamed,
    missing: cursor.nodeIsMissing,
    field: cursor.currentFieldName,
    children,
  };
  if (!cursor.gotoFirstChild()) return node;
  do {
    const child = copy(cursor, depth + 1);
    if (child === null) return null;
    if (isLoneBackslash(child)) continue;
    children.push(...(isTwoWords(child) ? child.children.map((word) => ({ ...word, type: child.type })) : [child]));
  } while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return node;
}

/** The shape of a subtree, as a 53-bit hash. */
export type Shape = number;

/**
 * The shapes of all subtrees that are not leaves, in any order: types and fields of named nodes, without names and values.
 * Two cells that differ only in their variables have the same shapes.
 */
export function subtreesOf({ code, root }: SyntaxTree): Shape[] {
  const found: Shape[] = [];
  const shape = shapeOf(root, code, found);
  if (root.children.length === 0) found.push(shape);
  return found;
}

/** Combines the type with the hashes of the children, so the hashed text does not grow with the tree. */
function shapeOf(node: SyntaxNode, code: string, found: Shape[]): Shape {
  const { type, named, missing, children } = node;
  let text = named ? type : `"${type}"`;
  if (missing) text = `MISSING ${text}`;
  // For unparsable text, the parser returns the first character as the type.
  else if (type === "ERROR" && children.length === 0) text = `UNEXPECTED ${code[node.start]}`;
  for (const child of children) {
    const shape = shapeOf(child, code, found);
    if (child.named || child.missing) text += ` ${child.field ?? ""}:${shape}`;
  }
  const shape = hash53(text);
  if (children.length > 0) found.push(shape);
  return shape;
}

/** Combines two multiplicative 32-bit hashes over the characters; 21 bits of one are used. */
function hash53(text: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    low = Math.imul(low ^ char, 0x9e3779b1);
    high = Math.imul(high ^ char, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
