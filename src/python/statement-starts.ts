import { RANKED_STATEMENT_KEYWORDS } from "./lex.js";
import { isRenamable, nameRoles } from "./name-roles.js";
import { scanString } from "./strings.js";
import { type Token, tokenize } from "./tokenize.js";

/**
 * Maximum statements per cell and tokens per statement; the latter is one more than the longest typed start that is
 * compared.
 */
const MAX_STATEMENTS = 200;
const MAX_START_TOKENS = 40;
const MAX_STORED_TOKENS = MAX_START_TOKENS + 1;
/**
 * Tokens as bytes. Names have the first bit set; strings, numbers and magics are stored by kind, other tokens by hash.
 */
const NAME = 0x80;
const STRING = 0;
const NUMBER = 1;
const MAGIC = 2;
const KIND_COUNT = 3;
/** Typed tokens that match several bytes: a user's own name, and the start of a word. */
const ANY_NAME = -1;
const ANY_WORD = -2;

/**
 * Encodes the starts of a cell's statements for `createStartCheck`: for each the number of tokens, then the tokens as
 * bytes.
 */
export function packStatementStarts(tokens: readonly Token[]): Uint8Array {
  const bytes: number[] = [];
  for (const statement of splitStatements(tokens).slice(0, MAX_STATEMENTS)) {
    bytes.push(Math.min(statement.length, MAX_STORED_TOKENS));
    for (let at = 0; at < statement.length && at < MAX_STORED_TOKENS; at += 1)
      bytes.push(byteOf(tokens[statement[at]!]!));
  }
  return Uint8Array.from(bytes);
}

/** Whether a statement of the cell may start with the typed line; reads the bytes from `from` up to `to`. */
type StartCheck = (bytes: Uint8Array, from: number, to: number) => boolean;

/**
 * A quick check before cells are compared with the line at the end of `code`: false only if no statement of a cell starts
 * with it (names may differ) and continues. `isModule` recognises names of modules, such as `np`, which must be equal.
 */
export function createStartCheck(code: string, isModule: (name: string) => boolean): StartCheck {
  const wanted = readTyped(code, isModule);
  if (wanted === null) return () => false;
  const { start, next } = wanted;
  return (bytes, from, to) => {
    for (let at = from; at < to; at += 1 + bytes[at]!) {
      if (bytes[at]! < start.length + (next === "anything" ? 0 : 1)) continue;
      if (next === "string" && bytes[at + 1 + start.length] !== STRING) continue;
      if (startsWith(bytes, at + 1, start)) return true;
    }
    return false;
  };
}

interface TypedStart {
  readonly start: readonly number[];
  /** The required next token: any token, the rest of an open string, or none. */
  readonly next: "token" | "string" | "anything";
}

/** Parses the typed line; null if nothing can continue it. */
function readTyped(code: string, isModule: (name: string) => boolean): TypedStart | null {
  const tokens = tokenize(code);
  const roles = nameRoles(tokens);
  const statement = splitStatements(tokens).at(-1) ?? [];
  const last = tokens[statement.at(-1) ?? -1];
  if (last === undefined) return null;
  if (last.kind === "magic") return { start: statement.length === 1 ? [MAGIC] : [], next: "anything" };
  const isInString = last.kind === "string" && last.end === code.length && !scanString(code, last.start)?.closed;
  const typed = isInString ? statement.slice(0, -1) : statement;
  if (typed.length === 0 || typed.length > MAX_START_TOKENS) return null;
  const isInWord = !isInString && last.kind === "name" && !/\s$/.test(code);
  const start = typed.map((index, at) => {
    const token = tokens[index]!;
    if (isInWord && at === typed.length - 1) return ANY_WORD;
    const next = tokens[typed[at + 1] ?? -1]?.text;
    const isOwn = isRenamable(roles[index]) && next !== "(" && !(next === "." && isModule(token.text));
    return isOwn ? ANY_NAME : byteOf(token);
  });
  return { start, next: isInString ? "string" : isInWord ? "anything" : "token" };
}

function startsWith(bytes: Uint8Array, from: number, start: readonly number[]): boolean {
  for (let at = 0; at < start.length; at += 1) {
    const wanted = start[at]!;
    const found = bytes[from + at]!;
    // Keywords and operators have the same kind of hash, so they cannot be told apart.
    const fits = wanted === ANY_WORD ? found >= KIND_COUNT : wanted === ANY_NAME ? found >= NAME : found === wanted;
    if (!fits) return false;
  }
  return true;
}

/** The token indexes of each statement, without comments. */
function splitStatements(tokens: readonly Token[]): number[][] {
  const statements: number[][] = [];
  let open: number[] = [];
  let depth = 0;
  const close = () => {
    if (open.length > 0) statements.push(open);
    open = [];
    depth = 0;
  };
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind === "comment") continue;
    if (kind === "newline") {
      const goesOn = depth > 0 || tokens[open.at(-1) ?? -1]?.text === "\\";
      if (!goesOn || RANKED_STATEMENT_KEYWORDS.has(tokens[at + 1]?.text ?? "")) close();
      continue;
    }
    if (kind === "operator") {
      if (text === "(" || text === "[" || text === "{") depth += 1;
      else if (text === ")" || text === "]" || text === "}") depth = Math.max(0, depth - 1);
    }
    open.push(at);
  }
  close();
  return statements;
}

function byteOf({ kind, text }: Token): number {
  if (kind === "string") return STRING;
  if (kind === "number") return NUMBER;
  if (kind === "magic") return MAGIC;
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  hash ^= hash >>> 15;
  return kind === "name" ? NAME | (hash & 0x7f) : KIND_COUNT + (((hash >>> 1) & 0x3fffffff) % (NAME - KIND_COUNT));
}
