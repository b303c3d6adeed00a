import type { SyntaxNode, SyntaxTree } from "./syntax-tree.js";

/** A 53-bit hash of a shape. */
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

/** Hashes the type and the hashes of the children, so that the text does not grow with the tree. */
function shapeOf(node: SyntaxNode, code: string, found: Shape[]): Shape {
  const { type, named, missing, children } = node;
  let text = named ? type : `"${type}"`;
  if (missing) text = `MISSING ${text}`;
  // For text that it cannot parse, the parser returns the first character as the type.
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
