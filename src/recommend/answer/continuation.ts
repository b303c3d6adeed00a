import { isRenamable } from "../../python/name-roles.js";
import type { Token } from "../../python/tokenize.js";
import { agree, readArguments } from "./call-arguments.js";
import type { Cursor } from "./cursor.js";
import { MODULES } from "./match-names.js";
import { findOpenBrackets } from "./open-brackets.js";
import { lacksBlock, type Outline, type Statement } from "./outline.js";

/** How a cell continues an unfinished statement. */
export interface Continuation {
  readonly statement: Statement;
  /** The insertion is `before`, then the cell's text from `start` up to `end`, then `after`. */
  readonly before: string;
  readonly start: number;
  readonly end: number;
  readonly after: string;
  /** Whether a block follows. */
  readonly opensBlock: boolean;
  /** Whether the statement starts with the typed text; names may differ. */
  readonly isFromStart: boolean;
  /** Pairs of a name of the cell and the different name that the user typed in its place. */
  readonly names: readonly (readonly [own: string, typed: string])[];
}

interface Match {
  readonly statement: Statement;
  /** Index of the cell's token after which the continuation starts. */
  readonly at: number;
  /** How many letters of the next token are already typed. */
  readonly typedOfNext: number;
  readonly value: number;
  readonly isFromStart: boolean;
  readonly names: Continuation["names"];
}

/**
 * Limits on the tokens before the cursor and on the cell's statements and positions. They bound the time for any text.
 */
const MAX_TOKENS = 40;
const MAX_STATEMENTS = 200;
const MAX_PLACES = 500;
/**
 * Score of a pair of tokens: an equal name that is never renamed, any other equal token, a name or literal that
 * differs.
 */
const SAME_FIXED = 1;
const SAME = 0.3;
const DIFFERENT = 0.1;
/** Bonus if the match reaches the beginning of a statement. */
const FROM_START = 1;
/** Score of the same call at the same argument if the arguments before it differ. */
const SAME_ARGUMENT = 0.4;
/** A match with a lower score is considered coincidence. */
const MIN_SCORE = 1;
/** So many equal tokens in a row are a certain match. */
const CERTAIN_LENGTH = 12;

/**
 * Finds how the cell continues the statement at the cursor, at the position with the best match to the text before the
 * cursor. Prefers `row`, which the alignment found for the line. Null if no position matches.
 */
export function findContinuation(
  code: string,
  cell: Outline,
  cursor: Cursor,
  row: number | undefined,
  imports: ReadonlySet<string> = NO_IMPORTS,
): Continuation | null {
  if (cursor.isAtLineStart && cursor.open.length === 0 && cursor.string === null) return null;
  let best: Match | null = null;
  const names = createNameChecks(cell, cursor, imports);
  for (const statement of cell.statements.slice(0, MAX_STATEMENTS)) {
    const isAligned = row !== undefined && statement.first <= row && row <= statement.last;
    for (const match of matchesIn(statement, cursor, names)) {
      const value = match.value + (isAligned ? SAME : 0);
      const isBetter = value >= MIN_SCORE && (best === null || value > best.value);
      if (isBetter && !usesSkippedName(match, cursor)) best = { ...match, value };
    }
  }
  return best === null
    ? null
    : describe(code, { ...best, names: [...best.names, ...targets(best.statement, cursor)] }, cursor);
}

/**
 * Whether the best match reaches the beginning of a statement. Null if only an alignment of the two texts can decide
 * that. `partnerMayBeSame` says whether the alignment may find the typed line unchanged in the cell.
 */
export function startsWithTyped(
  cell: Outline,
  cursor: Cursor,
  imports: ReadonlySet<string>,
  partnerMayBeSame: () => boolean,
): boolean | null {
  if (cursor.isAtLineStart && cursor.open.length === 0 && cursor.string === null) return false;
  const names = createNameChecks(cell, cursor, imports);
  let fromStart = Number.NEGATIVE_INFINITY;
  let elsewhere = Number.NEGATIVE_INFINITY;
  for (const statement of cell.statements.slice(0, MAX_STATEMENTS)) {
    for (const match of matchesIn(statement, cursor, names)) {
      const highest = match.isFromStart ? fromStart : elsewhere;
      if (match.value <= highest || match.value + SAME < MIN_SCORE || usesSkippedName(match, cursor)) continue;
      if (match.isFromStart) fromStart = match.value;
      else elsewhere = match.value;
    }
  }
  if (fromStart === Number.NEGATIVE_INFINITY) return false;
  // The alignment may add the score of one equal token to a match elsewhere.
  const isSure = fromStart >= MIN_SCORE && fromStart > elsewhere + SAME;
  return isSure && (cursor.isMidway || !partnerMayBeSame()) ? true : null;
}

/** The names that both statements assign to, if each assigns to exactly one. */
function targets({ tokens, roles }: Statement, { statement }: Cursor): [string, string][] {
  const [own, mine] = [tokens[0]!, statement!.tokens[0]!];
  const areAssigned = tokens[1]?.text === "=" && statement!.tokens[1]?.text === "=";
  const areFree = roles[0] === "free" && statement!.roles[0] === "free" && own.text !== mine.text;
  return areAssigned && areFree ? [[own.text, mine.text]] : [];
}

type DifferInMeaning = (own: string, typed: string) => boolean;
type IsModule = (token: Token) => boolean;

interface NameChecks {
  readonly differInMeaning: DifferInMeaning;
  readonly isModule: IsModule;
}

const NO_IMPORTS: ReadonlySet<string> = new Set();

function createNameChecks(cell: Outline, cursor: Cursor, imports: ReadonlySet<string>): NameChecks {
  const own = readFreeNames(cell);
  const typed = readFreeNames(cursor.outline);
  return {
    // Two names have different meanings if either text contains both: the cell's `fig` is not the user's `ax` if the
    // user also has a `fig`.
    differInMeaning: (left, right) => left !== right && (typed.all.has(left) || own.all.has(right)),
    // Imported names, and names that are usually imported: their imports are often far above.
    isModule: ({ kind, text }) => kind === "name" && (MODULES.has(text) || imports.has(text) || own.imported.has(text)),
  };
}

interface FreeNames {
  readonly all: ReadonlySet<string>;
  readonly imported: ReadonlySet<string>;
}

/** Cached, because every candidate is compared with the same typed text. */
const freeNamesOf = new WeakMap<Outline, FreeNames>();

function readFreeNames(outline: Outline): FreeNames {
  const known = freeNamesOf.get(outline);
  if (known !== undefined) return known;
  const all = new Set<string>();
  const imported = new Set<string>();
  for (const { tokens, roles } of outline.statements) {
    for (let at = 0; at < tokens.length; at += 1) {
      if (isRenamable(roles[at])) all.add(tokens[at]!.text);
      if (roles[at] === "imported") imported.add(tokens[at]!.text);
    }
  }
  const names = { all, imported };
  freeNamesOf.set(outline, names);
  return names;
}

/**
 * Whether the continuation uses a name that only the skipped part of the statement defines, such as a lambda's
 * parameter or a loop variable.
 */
function usesSkippedName({ statement, at, names }: Match, cursor: Cursor): boolean {
  const { tokens, roles } = statement;
  const last = findLast(statement, at, cursor).last;
  const bound = new Set<string>();
  let isBinding = false;
  for (const [index, { text }] of tokens.entries()) {
    if (text === "lambda" || text === "for") isBinding = true;
    else if (text === ":" || text === "in") isBinding = false;
    else if (isBinding && roles[index] === "free" && (index <= at || index > last)) bound.add(text);
  }
  for (const [own] of names) bound.delete(own);
  for (const { text } of cursor.tokens) bound.delete(text);
  if (bound.size === 0 || tokens[0]!.text === "for") return false;
  return tokens.slice(at + 1, last + 1).some(({ text }, index) => roles[at + 1 + index] === "free" && bound.has(text));
}

function* matchesIn(statement: Statement, cursor: Cursor, names: NameChecks): Generator<Match> {
  const { tokens } = statement;
  const typed = cursor.tokens;
  const last = typed.at(-1);
  if (last === undefined) return;
  const isInWord = cursor.string === null && last.kind === "name" && !cursor.isSpaced;
  for (let at = 0; at < Math.min(tokens.length, MAX_PLACES); at += 1) {
    const whole = compareBackwards(statement, at, cursor, typed.length - 1, names);
    if (whole !== null && canContinue(tokens[at + 1], cursor, whole) && agree(tokens, at, cursor))
      yield { statement, at, typedOfNext: 0, ...whole };
    if (!isInWord || !startsWord(tokens[at]!, last)) continue;
    const begun = compareBackwards(statement, at - 1, cursor, typed.length - 2, names);
    const typedOfNext = last.text.length;
    if (begun !== null && agree(tokens, at - 1, cursor))
      yield { statement, at: at - 1, typedOfNext, ...begun, value: begun.value + SAME_FIXED };
  }
  const argument = cursor.string === null ? sameArgument(statement, cursor, names) : null;
  if (argument !== null) yield argument;
}

function startsWord({ kind, text }: Token, typed: Token): boolean {
  return (kind === "name" || kind === "keyword") && text.length > typed.text.length && text.startsWith(typed.text);
}

const NO_NAMES: [string, string][] = [];

/** Compares the tokens up to `end` with those before the cursor, last to first. Null if they do not match. */
function compareBackwards(
  { tokens, roles }: Statement,
  end: number,
  cursor: Cursor,
  from: number,
  { differInMeaning, isModule }: NameChecks,
) {
  const own = cursor.statement!;
  let names: [string, string][] = NO_NAMES;
  let value = 0;
  let hasFixedToken = false;
  let hasSameValues = true;
  let typed = from;
  let at = end;
  for (; typed >= 0 && at >= 0 && from - typed < MAX_TOKENS; typed -= 1, at -= 1) {
    const mine = own.tokens[typed]!;
    const other = tokens[at]!;
    // `plt.hist(` and `wine.hist(` are different functions.
    if (mine.text !== other.text && own.tokens[typed + 1]?.text === "." && (isModule(mine) || isModule(other)))
      return null;
    // A method is not the same as a function with the same name.
    if ((mine.text === ".") !== (other.text === ".")) return null;
    if (mine.kind !== other.kind) break;
    const isCalled = own.tokens[typed + 1]?.text === "(" || tokens[at + 1]?.text === "(";
    const isFree = isRenamable(own.roles[typed]) && isRenamable(roles[at]) && !isCalled;
    if (mine.text === other.text) {
      const isFixed = mine.kind === "name" ? !isFree : mine.kind !== "operator";
      value += isFixed ? SAME_FIXED : SAME;
      hasFixedToken ||= isFixed;
      continue;
    }
    if (isFree && differInMeaning(other.text, mine.text)) break;
    if (mine.kind === "name" ? !isFree : mine.kind !== "string" && mine.kind !== "number") break;
    value += DIFFERENT;
    hasSameValues &&= mine.kind === "name";
    if (mine.kind !== "name") continue;
    if (names === NO_NAMES) names = [];
    names.push([other.text, mine.text]);
  }
  if ((typed < 0 && tokens[at]?.text === ".") || (at < 0 && own.tokens[typed]?.text === ".")) return null;
  // A single pair of different names is no evidence.
  const isFromStart = typed < 0 && at < 0 && (from < 0 || value > DIFFERENT);
  // Either the name of the open call is equal, or many tokens after it are.
  const reaches = typed < (cursor.open.at(-1)?.at ?? from) - 1 || from - typed >= CERTAIN_LENGTH;
  if (!isFromStart && !(hasFixedToken && reaches)) return null;
  return { value: value + (isFromStart ? FROM_START : 0), names, isFromStart, hasSameValues };
}

/**
 * Whether the continuation can follow the cursor. A header continues with its missing colon and an expression with an
 * attribute. Any statement continues with the rest of a statement that begins identically.
 */
function canContinue(
  next: Token | undefined,
  cursor: Cursor,
  { isFromStart, hasSameValues }: { readonly isFromStart: boolean; readonly hasSameValues: boolean },
): boolean {
  if (next === undefined) return false;
  if (cursor.string !== null) return restOfString(next, cursor) !== null;
  // If the text ends in a name, any statement that calls the name may continue it.
  if (cursor.isMidway || (cursor.isInWord && next.text === "(")) return true;
  const isSame = hasSameValues && cursor.tokens.length > 1 && next.text !== ":";
  const isMore =
    next.text === "." ? !cursor.tokens.some(({ text }) => text === "=") : cursor.lacksColon && next.text === ":";
  return isFromStart && (isMore || isSame);
}

/** Finds the same call with different arguments before the cursor; the continuation is its next argument. */
function sameArgument(statement: Statement, cursor: Cursor, { isModule }: NameChecks): Match | null {
  const open = cursor.open.at(-1);
  const last = cursor.tokens.at(-1)!;
  const call = open === undefined ? undefined : cursor.tokens[open.at - 1];
  if (open?.opener !== "(" || call?.kind !== "name" || (last.text !== "," && last.text !== "(")) return null;
  const typed = readArguments(cursor.tokens, open.at);
  for (let at = 1; at < statement.tokens.length; at += 1) {
    if (statement.tokens[at]!.text !== "(" || statement.tokens[at - 1]!.text !== call.text) continue;
    if (receiverOf(cursor.tokens, open.at - 1, isModule) !== receiverOf(statement.tokens, at - 1, isModule)) continue;
    const own = readArguments(statement.tokens, at);
    const next = own.commas[typed.commas.length - 1] ?? (typed.commas.length === 0 ? at : undefined);
    if (next === undefined) continue;
    if (!agree(statement.tokens, next, cursor) || statement.tokens[next + 1]?.text === ")") continue;
    return { statement, at: next, typedOfNext: 0, value: SAME_FIXED + SAME_ARGUMENT, isFromStart: false, names: [] };
  }
  return null;
}

/** The module that a called function belongs to, `.` for a method, or null for another function. */
function receiverOf(tokens: readonly Token[], call: number, isModule: IsModule): string | null {
  if (tokens[call - 1]?.text !== ".") return null;
  const receiver = tokens[call - 2];
  return receiver !== undefined && isModule(receiver) ? receiver.text : ".";
}

const STRING = /^([A-Za-z]*)("""|'''|"|')([\s\S]*)\2$/;

/** The rest of the cell's string after the typed part, in the user's quotes; null if the strings differ. */
function restOfString({ kind, text }: Token, { string }: Cursor): string | null {
  const found = kind === "string" ? STRING.exec(text) : null;
  if (found === null || string === null) return null;
  const [, letters, quote, body] = found as unknown as [string, string, string, string];
  const isSameKind = letters.toLowerCase() === string.start.slice(0, -string.quote.length).toLowerCase();
  if (!isSameKind || quote.length !== string.quote.length || !body.startsWith(string.body)) return null;
  const rest = body.slice(string.body.length);
  const breaks = quote !== string.quote && rest.includes(string.quote);
  return breaks ? null : rest + string.quote;
}

/**
 * Ends the continuation at the bracket that closes the last one open in both texts, and closes the brackets that only
 * the user opened.
 */
function describe(
  code: string,
  { statement, at, typedOfNext, names, isFromStart }: Match,
  cursor: Cursor,
): Continuation {
  const { tokens } = statement;
  const mine = cursor.open;
  const next = tokens[at + 1]!;
  const string = cursor.string === null ? null : restOfString(next, cursor);
  const { from, last, shared, isAll } = findLast(statement, at, cursor);
  const previous = tokens[from - 1];
  const start = typedOfNext > 0 ? next.start + typedOfNext : (previous?.end ?? next.start);
  const left = mine.slice(0, mine.length - shared).reverse();
  const end = last < from ? start : tokens[last]!.end;
  const needsColon = needsBlock(statement, at, cursor);
  const hasColon = isAll && startsBlock(statement) && !lacksBlock(statement);
  // The body of `if ready: run()` is on the same line.
  const opensBlock = needsColon && (!hasColon || statement.isHeader);
  return {
    statement,
    before: string ?? "",
    start,
    end: isAll && last === tokens.length - 1 ? endOfRow(code, end) : end,
    after: left.map(({ closer }) => closer).join("") + (needsColon && !hasColon ? ":" : ""),
    opensBlock,
    isFromStart,
    names,
  };
}

/** Finds the first and last token of the continuation, and the number of brackets open in both texts. */
function findLast(statement: Statement, at: number, cursor: Cursor) {
  const { tokens, isHeader } = statement;
  const open = findOpenBrackets(tokens.slice(0, at + 1));
  const mine = cursor.open;
  let shared = 0;
  while (shared < Math.min(open.length, mine.length) && open.at(-1 - shared)!.opener === mine.at(-1 - shared)!.opener)
    shared += 1;
  const from = cursor.string === null ? at + 1 : at + 2;
  const isAll = shared === open.length && shared === mine.length;
  const end = isAll ? tokens.length - 1 : findEnd(tokens, from, shared, open.length > shared);
  // A statement that starts no block takes no colon.
  const isTooFar = isHeader && end === tokens.length - 1 && !needsBlock(statement, at, cursor);
  return { from, last: isTooFar ? end - 1 : end, shared, isAll };
}

/** Whether the typed text starts a block, or is a prefix of a keyword that does. */
function needsBlock({ tokens }: Pick<Statement, "tokens">, at: number, { statement }: Cursor): boolean {
  return at < 0 ? startsBlock({ tokens }) : lacksBlock(statement!);
}

function startsBlock({ tokens }: Pick<Statement, "tokens">): boolean {
  return lacksBlock({ tokens: tokens.slice(0, 1) });
}

/**
 * The last token of the continuation: it closes the shared brackets, or precedes the next argument or closing bracket
 * of an unshared one.
 */
function findEnd(tokens: readonly Token[], from: number, shared: number, isInside: boolean): number {
  let depth = shared;
  for (let at = from; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind !== "operator") continue;
    if ("([{".includes(text)) depth += 1;
    else if (")]}".includes(text)) depth -= 1;
    if (depth < 0 || (depth === 0 && shared === 0 && isInside && text === ",")) return at - 1;
    if (depth === 0 && shared > 0) return at;
  }
  return tokens.length - 1;
}

/** A comment after a statement belongs to it. */
function endOfRow(code: string, from: number): number {
  const end = code.indexOf("\n", from);
  return end === -1 ? code.length : end;
}

/**
 * How a cell continues the magic or shell command at the cursor: with the rest of a row that starts like the last typed
 * row. In a cell magic such as `%%bash`, the first rows must be equal, too.
 */
export function continueMagic(cell: Outline, cursor: Cursor): Continuation | null {
  const [typed, ...others] = cursor.tokens;
  if (typed?.kind !== "magic" || others.length > 0 || cursor.isAtLineStart) return null;
  const rows = typed.text.split("\n");
  const begun = rows.at(-1)!.trimStart() + (cursor.isSpaced ? " " : "");
  for (const statement of cell.statements) {
    const [magic] = statement.tokens;
    if (magic?.kind !== "magic") continue;
    const own = magic.text.split("\n");
    let start = magic.start;
    for (const [at, row] of own.entries()) {
      const isPlace = rows.length === 1 ? at === 0 : at > 0 && own[0] === rows[0];
      const text = row.trimStart();
      const from = start + row.length - text.length + begun.length;
      if (isPlace && text.length > begun.length && text.startsWith(begun))
        return {
          statement,
          before: "",
          start: from,
          end: magic.end,
          after: "",
          opensBlock: false,
          isFromStart: true,
          names: [],
        };
      start += row.length + 1;
    }
  }
  return null;
}
