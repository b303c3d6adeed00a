import type { SyntaxNode, SyntaxTree } from "./syntax-tree.js";

/** The name of a shape: equal for equal shapes, and, by 53 bits, practically only for these. */
export type Shape = number;

/**
 * The shapes of the tree and of all its parts that have parts themselves, in any order: types and fields of named nodes, no
 * names and no values. Two cells that do the same with other variables have the same shapes.
 */
export function subtreesOf({ code, root }: SyntaxTree): Shape[] {
  const found: Shape[] = [];
  const shape = shapeOf(root, code, found);
  if (root.children.length === 0) found.push(shape);
  return found;
}

/** A shape is named after its type and the names of its parts' shapes, so that no text grows with the tree. */
function shapeOf(node: SyntaxNode, code: string, found: Shape[]): Shape {
  const { type, named, missing, children } = node;
  let text = named ? type : `"${type}"`;
  if (missing) text = `MISSING ${text}`;
  // Of a piece of text that it cannot read at all the parser shows the first character.
  else if (type === "ERROR" && children.length === 0) text = `UNEXPECTED ${code[node.start]}`;
  for (const child of children) {
    const shape = shapeOf(child, code, found);
    if (child.named || child.missing) text += ` ${child.field ?? ""}:${shape}`;
  }
  const shape = hash53(text);
  if (children.length > 0) found.push(shape);
  return shape;
}

/** Two multiplicative hashes of 32 bits over the characters, of which one gives 21 bits. */
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
