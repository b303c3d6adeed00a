import { Language, type Node, Parser } from "web-tree-sitter";
import { assetPath } from "../config.js";
import { blankComments, lex } from "./lex.js";
import { scanString } from "./strings.js";

/**
 * Maximum number of the parser's progress reports. After that, the text counts as unparsable, which limits the time for
 * broken input.
 */
const MAX_PROGRESS_REPORTS = 10_000;
/** Maximum run of line continuations. The scanner rereads the run after each of them, without reporting progress. */
const MAX_CONTINUATIONS = 200;
/**
 * Maximum nesting of brackets, which is Python's own limit. A few thousand levels overflow the parser's stack and break
 * it permanently.
 */
const MAX_BRACKET_DEPTH = 200;

/** Broken code up to this length is parsed, because it is cheap. */
const MAX_GUESSED_LENGTH = 8_000;

export type { Node };

let loading: Promise<Parser> | undefined;
let parser: Parser | undefined;

/**
 * Loads the Python grammar once. All parsing is synchronous, so the start of an evaluation (or the setup of a test) must
 * await this first. The service does not parse.
 */
export async function loadGrammar(): Promise<void> {
  loading ??= openParser();
  parser = await loading;
}

/**
 * Passes the syntax tree of `code` to `read` and frees it afterwards; null if the code is too costly to parse. Code
 * with an unclosed bracket or string is parsed only with `guess`, since its tree is a guess.
 */
export function withTree<T>(code: string, read: (root: Node) => T, guess = false): T | null {
  if (parser === undefined) throw new Error("loadGrammar() must be awaited before anything is parsed");
  const isReadable =
    isClosed(code, MAX_BRACKET_DEPTH) || (guess && code.length <= MAX_GUESSED_LENGTH && isShallow(code));
  if (!isReadable || continuesLong(code)) return null;
  let reports = 0;
  const tree = parser.parse(code, null, { progressCallback: () => ++reports > MAX_PROGRESS_REPORTS });
  if (tree === null) {
    parser.reset();
    return null;
  }
  try {
    return read(tree.rootNode);
  } finally {
    tree.delete();
  }
}

/**
 * Whether the Python parser accepts the code. Comments are removed first, because a long run of comment lines takes
 * quadratic time.
 */
export function parses(code: string): boolean {
  const bare = code.includes("#") ? blankComments(code, lex(code, 0, false)) : code;
  return withTree(bare, (root) => !root.hasError) ?? false;
}

/** Whether no bracket is nested too deeply. */
function isShallow(code: string): boolean {
  let depth = 0;
  for (const character of code) {
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
    if (depth > MAX_BRACKET_DEPTH) return false;
  }
  return true;
}

/** Whether very many line continuations follow each other with only white space in between. */
function continuesLong(code: string): boolean {
  let run = 0;
  let searchedTo = 0;
  for (const { index, 0: text } of code.matchAll(/\\\r?\n/g)) {
    run = code.slice(searchedTo, index).trim() === "" ? run + 1 : 1;
    if (run >= MAX_CONTINUATIONS) return true;
    searchedTo = index + text.length;
  }
  return false;
}

async function openParser(): Promise<Parser> {
  await Parser.init();
  return new Parser().setLanguage(await Language.load(assetPath("dist/src/python/tree-sitter-python.wasm")));
}

const OPENING_BRACKET: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Whether all strings and brackets of the code are closed, each by its own kind, and no bracket is nested deeper than `deepest`. */
export function isClosed(code: string, deepest: number): boolean {
  const open: string[] = [];
  for (const { kind, text, start } of lex(code, 0, false)) {
    if (kind === "string" && !scanString(code, start)!.closed) return false;
    if (kind !== "operator") continue;
    if (text === "(" || text === "[" || text === "{") open.push(text);
    else if (text in OPENING_BRACKET && open.pop() !== OPENING_BRACKET[text]) return false;
    if (open.length > deepest) return false;
  }
  return open.length === 0;
}
