import { MAX_ORDER } from "./context-index.js";
import type { NotebookIds } from "./predict.js";
import { isPlainName, type Mention, type Scope } from "./roles.js";
import { abstractOf, type TokenStream } from "./stream.js";
import { LINE_CLASS } from "./token-classes.js";
import { type CodeToken, track, WRAP } from "./tokens.js";
import type { Vocabulary } from "./vocabulary.js";

/** What is known of the user's own tokens, for all predictions at one cursor. */
export interface NotebookFacts {
  readonly ids: NotebookIds;
  /** How often a token occurs in the notebook. */
  readonly counts: ReadonlyMap<number, number>;
  /** Pairs of neighbours, as first * PAIR_BASE + second. */
  readonly pairs: ReadonlySet<number>;
  /** Where a token stands last, counted from the end. */
  readonly distance: ReadonlyMap<number, number>;
}

export const PAIR_BASE = 2 ** 24;
/** Older tokens of a long notebook are not looked through. */
const MAX_NOTEBOOK_TOKENS = 8_000;

export function factsOf(stream: TokenStream, vocabulary: Vocabulary): NotebookFacts {
  const from = Math.max(0, stream.concrete.length - MAX_NOTEBOOK_TOKENS);
  const length = stream.concrete.length - from;
  const concrete = new Int32Array(length);
  const abstract = new Int32Array(length);
  const target = new Int32Array(length);
  const wrapped = new Uint8Array(length);
  const counts = new Map<number, number>();
  const pairs = new Set<number>();
  const distance = new Map<number, number>();
  for (let at = 0; at < length; at += 1) {
    const id = vocabulary.add(stream.concrete[from + at]!);
    concrete[at] = id;
    if (stream.tokens[from + at]!.isWrapped) wrapped[at] = 1;
    abstract[at] = vocabulary.add(stream.abstract[from + at]!);
    target[at] = vocabulary.add(stream.target[from + at]!);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    distance.set(id, length - at);
    if (at > 0) pairs.add(concrete[at - 1]! * PAIR_BASE + id);
  }
  return { ids: { length, concrete, abstract, target, wrapped, wrap: vocabulary.add(WRAP) }, counts, pairs, distance };
}

/** The text up to a place at or after the cursor, as far as predictions depend on it. */
export interface CursorState {
  readonly concrete: readonly number[];
  readonly abstract: readonly number[];
  /** The tokens of the statement so far. */
  readonly statement: readonly CodeToken[];
  /** The class of the last token of the statement, of a line break at its start. */
  readonly lastClass: number;
  readonly open: readonly string[];
  readonly scope: Scope;
  /** Whether the line starts here, inside brackets. */
  readonly isWrapped: boolean;
}

/** The state after reading a stream whose last statement is `statement`, not yet bound. */
export function startState(
  facts: NotebookFacts,
  scope: Scope,
  statement: readonly CodeToken[],
  open: readonly string[],
  vocabulary: Vocabulary,
): CursorState {
  const { ids } = facts;
  const last = statement.at(-1);
  const from = Math.max(0, ids.length - MAX_ORDER);
  return {
    concrete: [...ids.concrete.subarray(from, ids.length)],
    abstract: [...ids.abstract.subarray(from, ids.length)],
    statement,
    lastClass: last === undefined ? LINE_CLASS : vocabulary.classAt(vocabulary.add(last.text)),
    open,
    scope,
    isWrapped: false,
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
    if (mention !== null && mention.rank > 0) {
      scope = scope.fork();
      scope.bind(token.text, scope.producerOf(token.text)!);
    }
  }
  let { open } = state;
  if (token.kind === "operator") {
    const changed = [...open];
    track(changed, token.text);
    open = changed;
  }
  const id = vocabulary.add(token.text);
  return {
    concrete: pushed(state.concrete, id),
    abstract: pushed(state.abstract, vocabulary.add(abstractOf(token, mention))),
    statement,
    lastClass: isEnd ? LINE_CLASS : vocabulary.classAt(id),
    open,
    scope,
    isWrapped: false,
  };
}

function pushed(tail: readonly number[], id: number): number[] {
  const next = tail.length >= MAX_ORDER ? tail.slice(tail.length - MAX_ORDER + 1) : [...tail];
  next.push(id);
  return next;
}

/** The token that a predicted number stands for in this scope; 0 where there is no such variable. */
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
