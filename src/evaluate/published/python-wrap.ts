import { lengthOf } from "./python-repr.js";
import { PythonSyntaxError } from "./python-syntax.js";

const MAX_LINE = 79;
const STEP = "    ";
const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}", "):"]);
/** Statements whose expression may get parentheses for a line break. */
const WRAPPED_STATEMENTS = new Set(["del ", "return", "yield ", "if ", "while "]);
const ASSIGNMENTS = new Set(
  ["|", "^", "&", "+", "-", "*", "/", "%", "@", "~", "<<", ">>", "//", "**", ""].map((op) => ` ${op}= `),
);

const width = (pieces: readonly string[]): number => pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);

/**
 * Joins the pieces of a printed program and breaks long lines inside brackets like astor 0.7.1, because JuICe's
 * canonical tokens depend on the line breaks. A line that ends in a multi-line string is not broken.
 */
export function wrapLines(pieces: readonly string[]): string {
  const result: string[] = [];
  let line: string[] = [];
  let endsInLines = false;
  for (const piece of pieces) {
    const firstBreak = piece.indexOf("\n");
    if (firstBreak !== 0) {
      line.push(piece);
      endsInLines = firstBreak > 0;
      continue;
    }
    if (line.length > 0) {
      if (width(line) <= MAX_LINE || endsInLines) result.push(...line);
      else wrapLine(line, result);
      line = [];
      endsInLines = false;
    }
    result.push(piece);
  }
  return result.join("");
}

function wrapLine(line: string[], result: string[]): void {
  let maxLine = MAX_LINE;
  const isIndented = line[0] !== "" && line[0]!.trim() === "";
  let indentation = isIndented ? line.shift()! : "";
  let indent = indentation.length;

  let groups = bracketGroups(line);
  const tooLong = groups.some((group, at) => at % 2 === 0 && width(group) > maxLine - indent);
  if (tooLong) groups = bracketGroups(addParentheses(line, maxLine, indent));

  const first = groups[0]!;
  result.push(indentation, ...first);
  if (groups.length === 1) return;
  let at = indent + width(first);
  indentation += STEP;
  indent += STEP.length;
  if (indent >= maxLine / 2) maxLine = maxLine / 2 + indent;
  const breakLine = () => {
    result.push("\n", indentation);
    at = indent;
  };

  for (let pair = 1; pair + 1 < groups.length; pair += 2) {
    let inner = groups[pair]!;
    if (inner.length > 0) {
      if (at > indent && at + lengthOf(inner[0]!) > maxLine) breakLine();
      while (at + width(inner) > maxLine) {
        const [ready, rest] = splitGroup(inner, at, maxLine);
        result.push(...ready.slice(0, -1), ready.at(-1)!.replace(/ $/, ""));
        breakLine();
        inner = rest;
      }
      result.push(...inner);
      at += width(inner);
    }
    const outer = groups[pair + 1]!;
    if (at > indent && at + width(outer) > maxLine) breakLine();
    result.push(...outer);
    at += width(outer);
  }
}

/** Splits pieces into those that fit on the line (at least one) and the rest. */
function splitGroup(group: readonly string[], from: number, maxLine: number): [string[], string[]] {
  let at = from;
  let taken = 0;
  while (taken < group.length) {
    at += lengthOf(group[taken]!);
    taken += 1;
    const next = group[taken];
    if (next === undefined) break;
    const allowed = next.endsWith(" ") ? maxLine + 1 : maxLine - 4;
    if (at + lengthOf(next) > allowed) break;
  }
  if (taken === 0) throw new PythonSyntaxError("A line cannot be broken.");
  return [group.slice(0, taken), group.slice(taken)];
}

/** The parts outside and inside of brackets, alternating; nested brackets do not count. */
function bracketGroups(line: readonly string[]): string[][] {
  const groups: string[][] = [];
  let text: string[] = [];
  let at = 0;
  for (;;) {
    while (at < line.length) {
      const piece = line[at++]!;
      text.push(piece);
      if (OPENING.has(piece)) break;
    }
    if (text.length === 0) return groups;
    groups.push(text);
    let depth = 0;
    let isClosed = false;
    text = [];
    while (at < line.length) {
      const piece = line[at++]!;
      if (OPENING.has(piece)) depth += 1;
      else if (CLOSING.has(piece)) depth -= 1;
      if (depth < 0) {
        groups.push(text);
        text = [piece];
        isClosed = true;
        break;
      }
      text.push(piece);
    }
    if (isClosed) continue;
    if (text.length > 0) throw new PythonSyntaxError("A bracket of a printed line has no end.");
    return groups;
  }
}

function addParentheses(line: string[], maxLine: number, indent: number): string[] {
  if (WRAPPED_STATEMENTS.has(line[0]!)) {
    line.splice(line[0]!.endsWith(" ") ? 1 : 2, 0, "(");
    if (line.at(-1) === ":") line.splice(-1, 0, ")");
    else line.push(")");
  }
  const groups = assignmentGroups(line);
  if (groups.length === 1) return line;
  const widths = groups.map(width);
  let isWrapped = false;
  if (widths.slice(0, -1).reduce((sum, one) => sum + one, 0) >= maxLine - indent - 4) {
    for (const group of groups.slice(0, -1)) {
      isWrapped = group.length > 1;
      if (!isWrapped) continue;
      group.unshift("(");
      group.splice(-1, 0, ")");
    }
  }
  if (!isWrapped || widths.at(-1)! > maxLine - indent - 10) {
    groups.at(-1)!.unshift("(");
    groups.at(-1)!.push(")");
  }
  return groups.flat();
}

/** Splits after every assignment operator. */
function assignmentGroups(line: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const piece of line) {
    groups.at(-1)!.push(piece);
    if (ASSIGNMENTS.has(piece)) groups.push([]);
  }
  return groups;
}
