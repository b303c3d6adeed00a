import type { Mutator } from "../src/evaluate/suite.js";
import { type Edit, type ParsedCell, rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { freshName, wordsOf } from "./syntax/names.js";
import { hasOwnLines, indentAt, statementLists } from "./syntax/statement-edits.js";

const splitChains: Mutator = {
  name: "split-chains",
  description: "Writes a chain of method calls as steps, one call each.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) => {
      const step = freshName("step", wordsOf(code));
      return statementLists(cell.root)
        .flat()
        .filter((statement) => hasOwnLines(cell, statement))
        .flatMap((statement) => splitChain(cell, statement, step));
    }),
};

export default splitChains;

function splitChain({ code }: ParsedCell, statement: SyntaxNode, step: string): Edit[] {
  const value = chainIn(statement);
  const steps = value === null ? [] : stepsOf(unwrap(value), step);
  if (steps.length < 2) return [];
  const lines = steps.slice(0, -1).map((text) => `${step} = ${text}`);
  const last = code.slice(statement.startIndex, value!.startIndex) + steps.at(-1)!;
  const text = [...lines, last].join(`\n${indentAt(code, statement.startIndex)}`);
  return [{ start: statement.startIndex, end: statement.endIndex, text }];
}

/** The value of `x = ...`, `return ...` or a bare expression, which is evaluated first. */
function chainIn(statement: SyntaxNode): SyntaxNode | null {
  const only = statement.firstNamedChild;
  if (statement.namedChildCount !== 1 || only === null) return null;
  if (statement.type === "return_statement") return only;
  if (statement.type !== "expression_statement") return null;
  if (only.type !== "assignment") return only;
  // Excludes `a = b = ...`.
  return only.childForFieldName("right");
}

function unwrap(value: SyntaxNode): SyntaxNode {
  let inner = value;
  while (inner.type === "parenthesized_expression" && inner.namedChildCount === 1) inner = inner.firstNamedChild!;
  return inner;
}

/** Splits `a.b(1).c()[0]` into `a.b(1)` and `step.c()[0]`. */
function stepsOf(chain: SyntaxNode, step: string): string[] {
  const { root, links } = linksOf(chain);
  // Brackets around the whole chain are removed, so the rest must be valid on one line.
  if (/\n/.test(root.text) && !/^["'([{]/.test(root.text)) return [];
  const steps = [root.text];
  links.forEach((link, at) => {
    const isCall = link.type === "attribute" && links[at + 1]?.type === "call";
    if (isCall && links.slice(0, at).some(({ type }) => type === "call")) steps.push(step);
    steps.push(steps.pop() + suffix(link));
  });
  return links.some(({ namedChildren }) => namedChildren.some(({ type }) => type === "comment")) ? [] : steps;
}

function linksOf(chain: SyntaxNode): { root: SyntaxNode; links: SyntaxNode[] } {
  const links: SyntaxNode[] = [];
  let root = chain;
  while (/^(?:attribute|subscript|call)$/.test(root.type)) {
    links.unshift(root);
    root = root.firstNamedChild!;
  }
  return { root, links };
}

function suffix(link: SyntaxNode): string {
  if (link.type === "attribute") return `.${link.childForFieldName("attribute")!.text}`;
  return link.text.slice(link.firstNamedChild!.text.length).trim();
}
