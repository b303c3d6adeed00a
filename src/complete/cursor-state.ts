import { MAX_ORDER } from "./context-index.js";
import { NO_PARTS, type Parts, wordsOf } from "./name-parts.js";
import { extendStart, NO_START, type NotebookFacts, type StatementStart } from "./notebook-facts.js";
import { isPlainName, type Mention, type Scope } from "./roles.js";
import { abstractOf } from "./stream.js";
import { LINE_CLASS } from "./token-classes.js";
import { type CodeToken, track } from "./tokens.js";
import type { Vocabulary } from "./vocabulary.js";

/** The words of the nearest comment, and how many statements have ended since. */
export interface CommentHint {
  readonly words: Parts;
  readonly age: number;
}

export const NO_HINT: CommentHint = { words: NO_PARTS, age: 0 };
/** A comment says nothing about statements further below. */
const MAX_HINT_AGE = 3;

/** The hint after one more token. */
export function nextHint(hint: CommentHint, { kind, comment }: CodeToken): CommentHint {
  if (comment !== undefined) return { words: wordsOf(comment), age: 0 };
  if (kind !== "line" || hint.words.length === 0) return hint;
  return hint.age === MAX_HINT_AGE ? NO_HINT : { words: hint.words, age: hint.age + 1 };
}

/** The input of a prediction: the text up to a position at or after the cursor. */
export interface CursorState {
  readonly concrete: readonly number[];
  readonly abstract: readonly number[];
  /** The tokens of the statement so far. */
  readonly statement: readonly CodeToken[];
  /** A hash of the statement so far. */
  readonly start: StatementStart;
  /** The class of the statement's last token; at the start of a statement, the class of a line break. */
  readonly lastClass: number;
  readonly open: readonly string[];
  readonly scope: Scope;
  /** Whether a line inside brackets starts here. */
  readonly isWrapped: boolean;
  readonly hint: CommentHint;
}

/** The state at the end of a stream. `statement` is its last, unfinished statement, whose names are not bound yet. */
export function startState(
  facts: NotebookFacts,
  scope: Scope,
  statement: readonly CodeToken[],
  open: readonly string[],
  vocabulary: Vocabulary,
  hint: CommentHint = NO_HINT,
): CursorState {
  const { ids } = facts;
  const last = statement.at(-1);
  const from = Math.max(0, ids.length - MAX_ORDER);
  // Mentions in the unfinished statement count for the recency of variables.
  let ownScope = scope;
  for (const [index, { text }] of statement.entries())
    if (isPlainName(statement, index) && (ownScope.mentionOf(text)?.rank ?? 0) > 0)
      ownScope = ownScope.withMention(text);
  return {
    concrete: [...ids.concrete.subarray(from, ids.length)],
    abstract: [...ids.abstract.subarray(from, ids.length)],
    statement,
    start: statement.reduce((start, { text }) => extendStart(start, vocabulary.idOf(text)), NO_START),
    lastClass: last === undefined ? LINE_CLASS : vocabulary.classAt(vocabulary.add(last.text)),
    open,
    scope: ownScope,
    isWrapped: false,
    hint,
  };
}

/** The state after one more token. */
export function advance(state: CursorState, token: CodeToken, vocabulary: Vocabulary): CursorState {
  const isEnd = token.kind === "line" || token.kind === "cell" || token.text === ";";
  const statement = isEnd ? [] : [...state.statement, token];
  let { scope } = state;
  let mention: Mention | null = null;
  if (isEnd) {
    if (state.statement.length > 0) {
      scope = scope.fork();
      scope.readStatement(state.statement);
    }
  } else if (isPlainName(statement, statement.length - 1)) {
    mention = scope.mentionOf(token.text);
    if (mention !== null && mention.rank > 0) scope = scope.withMention(token.text);
  }
  let { open } = state;
  if (token.kind === "operator") {
    const changed = [...open];
    track(changed, token.text);
    open = changed;
  }
  const id = vocabulary.add(token.text);
  return {
    concrete: appended(state.concrete, id),
    abstract: appended(state.abstract, vocabulary.add(abstractOf(token, mention))),
    statement,
    start: isEnd ? NO_START : extendStart(state.start, id),
    lastClass: isEnd ? LINE_CLASS : vocabulary.classAt(id),
    open,
    scope,
    isWrapped: false,
    hint: nextHint(state.hint, token),
  };
}

function appended(tail: readonly number[], id: number): number[] {
  const next = tail.length >= MAX_ORDER ? tail.slice(tail.length - MAX_ORDER + 1) : [...tail];
  next.push(id);
  return next;
}

const NUMBERED_TEXT = /^(.*?[^\d.]|)(\d{1,4})('?)$/;

/** The token that continues a count: `3` after `2`, `df_2` after `df_1`. */
export function createSuccessor(vocabulary: Vocabulary): (id: number) => number {
  return (id) => {
    const match = NUMBERED_TEXT.exec(vocabulary.textOf(id));
    return match === null ? 0 : vocabulary.add(`${match[1]}${Number(match[2]) + 1}${match[3]}`);
  };
}

/** Maps a predicted number to a token of this scope; 0 if the scope has no such variable. */
export function createResolver(scope: Scope, vocabulary: Vocabulary): (id: number) => number {
  const known = new Map<number, number>();
  return (id) => {
    const target = vocabulary.targetAt(id);
    if (target === null) return id;
    const before = known.get(id);
    if (before !== undefined) return before;
    const name = scope.nameOf(target.role, target.rank);
    const resolved = name === null ? 0 : vocabulary.add(name);
    known.set(id, resolved);
    return resolved;
  };
}
