import { type Node, parses, withTree } from "../../src/python/grammar.js";
import { maskMagics, type Token, tokenize } from "../../src/python/tokenize.js";

/**
 * A node of the syntax tree. Offsets refer to the code; the tree was parsed with each magic replaced by the number 0.
 */
export type SyntaxNode = Node;

/** Replaces the text between two offsets; inserts if they are equal. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A parsed cell. `magicLines` are the lines, from 0, that are placeholders in the tree. */
export interface ParsedCell {
  readonly code: string;
  readonly tokens: readonly Token[];
  readonly root: SyntaxNode;
  readonly magicLines: ReadonlySet<number>;
}

/** Applies edits, given in any order. If two overlap, the earlier one wins; if they start together, the shorter one. */
export function applyEdits(code: string, edits: readonly Edit[]): string {
  let edited = "";
  let done = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < done) continue;
    edited += code.slice(done, start) + text;
    done = end;
  }
  return edited + code.slice(done);
}

/**
 * Applies the edits that `find` derives from the syntax tree. The code is unchanged if it or the result does not parse.
 */
export function rewriteTree(code: string, findEdits: (cell: ParsedCell) => readonly Edit[]): string {
  const tokens = tokenize(code);
  const edits = withTree(maskMagics(code, tokens), (root) =>
    root.hasError ? [] : findEdits({ code, tokens, root, magicLines: linesOfMagics(tokens) }),
  );
  if (edits === null || edits.length === 0) return code;
  const rewritten = applyEdits(code, edits);
  return parses(maskMagics(rewritten)) ? rewritten : code;
}

/** Replaces tokens; `replace` returns null for a token to keep. Works on any text. */
export function rewriteTokens(
  code: string,
  replace: (token: Token, at: number) => string | null,
  tokens: readonly Token[] = tokenize(code),
): string {
  const edits = tokens.flatMap((token, at): Edit[] => {
    const text = replace(token, at);
    return text === null ? [] : [{ start: token.start, end: token.end, text }];
  });
  return applyEdits(code, edits);
}

function linesOfMagics(tokens: readonly Token[]): Set<number> {
  const lines = new Set<number>();
  let line = 0;
  for (const { kind, text } of tokens) {
    if (kind === "magic") lines.add(line);
    for (const _ of text.matchAll(/\n/g)) {
      line += 1;
      if (kind === "magic") lines.add(line);
    }
  }
  return lines;
}

/** For each token, the index of the innermost open bracket around it; -1 for none. A bracket is not inside itself. */
export function enclosingBrackets(tokens: readonly Token[]): number[] {
  const open: number[] = [];
  return tokens.map(({ kind, text }, at) => {
    if (kind === "operator" && /^[)\]}]$/.test(text)) open.pop();
    const around = open.at(-1) ?? -1;
    if (kind === "operator" && /^[([{]$/.test(text)) open.push(at);
    return around;
  });
}
