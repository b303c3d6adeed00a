import type { Mutator } from "../src/evaluate/suite.js";
import { type Edit, rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { outsideStrings } from "./syntax/statement-edits.js";

const MIRRORED = new Map(Object.entries({ "==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=" }));
/** Node types of operands that need no brackets on either side. */
const TIGHT = /^(?:identifier|attribute|subscript|call|integer|float|string|parenthesized_expression|list)$/;
/**
 * Matches a cell that overloads an operator. Its operands are not swapped, because a class may define the operator for
 * one side only.
 */
const OWN_OPERATORS = /\bdef __r?(?:add|mul|eq|ne|lt|gt|le|ge|and|or)__\b/;
/** Matches column expressions of polars or Spark. Their names come from the first operand. */
const COLUMN = /\bcol\b/;
/** Maximum number of operands; a sum of thousands of terms is data. */
const MAX_LENGTH = 500;

const swapOperands: Mutator = {
  name: "swap-operands",
  description: "Swaps the sides of +, *, comparisons with a literal, and of & and | between comparisons.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, ({ root }) => {
      if (OWN_OPERATORS.test(code)) return [];
      const nodes = root.descendantsOfType(["binary_operator", "comparison_operator"]);
      return outsideStrings(nodes, root).flatMap((node) => swap(node, code));
    }),
};

export default swapOperands;

function swap(node: SyntaxNode, code: string): Edit[] {
  if (node.namedChildCount !== 2 || node.childCount !== 3 || node.endIndex - node.startIndex > MAX_LENGTH) return [];
  const [left, operator, right] = node.children as [SyntaxNode, SyntaxNode, SyntaxNode];
  const mirrored = mirror(left, operator.type, right);
  if (mirrored === null) return [];
  const between = [code.slice(left.endIndex, operator.startIndex), code.slice(operator.endIndex, right.startIndex)];
  const text = `${bracket(right)}${between[0]}${mirrored}${between[1]}${bracket(left)}`;
  return [{ start: node.startIndex, end: node.endIndex, text }];
}

/** The operator after the swap, or null if the swap might change the value or the order of side effects. */
function mirror(left: SyntaxNode, operator: string, right: SyntaxNode): string | null {
  const isNumber = isNumeral(left) !== isNumeral(right);
  if (operator === "+" || operator === "*") return isNumber && !COLUMN.test(left.text + right.text) ? operator : null;
  if (operator === "&" || operator === "|") return isMask(left) && isMask(right) ? operator : null;
  const isLiteral = isNumber || isPlainString(left) !== isPlainString(right);
  return isLiteral ? (MIRRORED.get(operator) ?? null) : null;
}

function isNumeral({ type, text }: SyntaxNode): boolean {
  return type === "integer" || type === "float" || (type === "unary_operator" && /^-[\d.]+$/.test(text));
}

function isPlainString({ type, namedChildren }: SyntaxNode): boolean {
  return type === "string" && namedChildren.every((part) => part.type !== "interpolation");
}

/** Whether an operand such as `(a > 1)` has no calls, so the order of evaluation does not matter. */
function isMask(node: SyntaxNode): boolean {
  const isComparison = node.firstNamedChild?.type === "comparison_operator";
  return (
    isComparison && node.type === "parenthesized_expression" && node.descendantsOfType(["call", "await"]).length === 0
  );
}

function bracket(node: SyntaxNode): string {
  return TIGHT.test(node.type) || isNumeral(node) ? node.text : `(${node.text})`;
}
