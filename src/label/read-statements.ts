import type { Token } from "../python/tokenize.js";
import type { CodeLine } from "./code-lines.js";
import { COMPOUND, classify, depthChange, SIMPLE, type Statement } from "./statement-kind.js";

/** Joins lines to statements and splits them at semicolons and after the colon of `if x: y`. */
export function readStatements(lines: readonly CodeLine[]): Statement[] {
  const statements: Statement[] = [];
  let open: Token[] = [];
  let indent = 0;
  let depth = 0;
  for (const line of lines) {
    if (open.length > 0 && (depth <= 0 || startsAnew(line, indent))) {
      split(open, indent, statements);
      open = [];
    }
    if (open.length === 0) {
      indent = line.indent;
      depth = 0;
    }
    for (const token of line.tokens) {
      if (token.kind === "operator") depth += depthChange(token.text);
      open.push(token);
    }
    if (open.at(-1)!.text === "\\") {
      open.pop();
      depth = Math.max(depth, 1);
    }
  }
  if (open.length > 0) split(open, indent, statements);
  return statements;
}

/** A bracket that was never closed must not swallow the rest: a line no further in that starts with a statement's word ends it. */
function startsAnew({ tokens, indent }: CodeLine, statementIndent: number): boolean {
  const [first, second] = tokens;
  if (indent > statementIndent || first === undefined) return false;
  if (first.kind === "keyword") return first.text in SIMPLE || first.text in COMPOUND;
  return first.kind === "name" && (second?.text === "=" || second?.text === ".");
}

function split(tokens: readonly Token[], indent: number, statements: Statement[]): void {
  let depth = 0;
  let from = 0;
  const close = (to: number) => {
    if (to > from) statements.push(classify(tokens.slice(from, to), indent));
    from = to + 1;
  };
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== "operator") continue;
    depth += depthChange(text);
    if (depth > 0) continue;
    if (text === ";") close(index);
    else if (text === ":" && isCompound(tokens, from) && !lambdaBefore(tokens, from, index)) close(index);
  }
  close(tokens.length);
}

function isCompound(tokens: readonly Token[], from: number): boolean {
  const first = tokens[from]!;
  return first.kind === "keyword" && (first.text in COMPOUND || first.text === "async");
}

function lambdaBefore(tokens: readonly Token[], from: number, index: number): boolean {
  for (let at = index - 1; at >= from; at -= 1) {
    if (tokens[at]!.text === "lambda") return true;
    if (tokens[at]!.text === ":") return false;
  }
  return false;
}
