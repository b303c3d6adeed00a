import { advance, type CursorState, createResolver, createSuccessor } from "./cursor-state.js";
import { createMixed, type MixtureWeights, mix } from "./mixture.js";
import { createPartsReader } from "./name-parts.js";
import type { NotebookFacts } from "./notebook-facts.js";
import { COMPONENT_COUNT, type Predictions, type Predictor } from "./predict.js";
import { createScorer, type RescoringNet, softmax } from "./rescore.js";
import {
  arePaired,
  CELL,
  CELL_CLASS,
  type ClassPairs,
  classOfOperator,
  KINDS,
  LINE,
  LINE_CLASS,
  WRAP_CLASS,
  WRAPPING,
} from "./token-classes.js";
import { FEATURE_COUNT, MAX_CANDIDATES, writeFeatures } from "./token-features.js";
import { type CodeToken, LONG_STRING } from "./tokens.js";
import type { Vocabulary } from "./vocabulary.js";

interface SearchModel {
  readonly predictor: Predictor;
  readonly weights: MixtureWeights;
  readonly net: RescoringNet;
  readonly pairs: ClassPairs;
  /** False for a token that occurs only in deleted notebooks. */
  readonly isKnown: (id: number) => boolean;
}

export interface SearchQuery {
  readonly state: CursorState;
  readonly facts: NotebookFacts;
  readonly vocabulary: Vocabulary;
  /** The text of the token that is being typed. */
  readonly partial: string;
  /**
   * The first token after the cursor in this line. A path that reaches it is finished. Null if the cursor is at the end
   * of a line.
   */
  readonly stop: string | null;
  /** Number of open brackets that the text after the cursor closes. */
  readonly reserved: number;
  /** Returns whether a token must not be predicted in a state. */
  readonly exclude?: (state: CursorState) => (text: string) => boolean;
}

/** A possible continuation. */
export interface Path {
  readonly tokens: readonly CodeToken[];
  /** Probability of each token, given those before it. */
  readonly chances: readonly number[];
  /** Whether the line ends after the tokens. */
  readonly isEnded: boolean;
  /** The probability of the whole path. */
  readonly chance: number;
  /** Contribution of each component to the prediction of the first token. */
  readonly origins: readonly number[];
  /** The state after the tokens. */
  readonly state: CursorState;
  /** The line break that is most likely to follow; null at the end of the cell or of the brackets. */
  readonly lineEnd: string | null;
}

interface Step {
  readonly token: CodeToken;
  readonly chance: number;
  readonly origins: readonly number[];
}

/** Possible next tokens, best first, and the probability that the line ends here. */
interface Expansion {
  readonly end: number;
  readonly lineEnd: string | null;
  readonly steps: readonly Step[];
}

const MAX_TOKENS = 40;
/** Minimum probability of a single step. */
const MIN_STEP = 0.02;

/** Creates a function that predicts the next token. */
export function createExpander({ predictor, weights, net, pairs, isKnown }: SearchModel) {
  const mixed = createMixed(MAX_CANDIDATES);
  const features = new Float32Array((MAX_CANDIDATES + 1) * FEATURE_COUNT);
  const scores = new Float64Array(MAX_CANDIDATES + 1);
  const score = createScorer(net);
  const partsOf = createPartsReader();
  return (query: SearchQuery, state: CursorState, partial: string): Expansion => {
    const { vocabulary, facts, stop, reserved } = query;
    const isExcluded = query.exclude?.(state);
    const isFirst = state === query.state;
    const longString = vocabulary.idOf(LONG_STRING.text);
    const stopId = stop === null ? 0 : vocabulary.idOf(stop);
    const accepts = (id: number) => {
      const text = vocabulary.textOf(id);
      if (partial !== "" && !text.startsWith(partial)) return false;
      if (id === 0 || id === longString || !(isKnown(id) || facts.countOf(id) > 0)) return false;
      if (!canFollow(state, vocabulary.classAt(id), pairs, id === stopId ? 0 : reserved)) return false;
      return isExcluded === undefined || !isExcluded(text);
    };
    const predictions = predictor.predict(state, facts.ids, {
      size: vocabulary.size + MAX_CANDIDATES * 32,
      resolve: createResolver(state.scope, vocabulary),
      successorOf: createSuccessor(vocabulary),
      accepts,
      isSelective: partial !== "",
    });
    mix(predictions, weights, mixed);
    const rows = writeFeatures({ predictions, mixed, state, facts, vocabulary, partial, partsOf }, features);
    score(features, rows, scores);
    softmax(scores, rows);
    const steps: Step[] = [];
    let end = 0;
    let lineEnd: string | null = null;
    let highest = 0;
    for (let row = 0; row < mixed.count; row += 1) {
      const slot = mixed.slots[row]!;
      const id = predictions.ids[slot]!;
      const kind = vocabulary.kindAt(id);
      const chance = scores[row]!;
      const endsLine = kind === LINE || kind === CELL || kind === WRAPPING;
      const isEnd = stop === null ? endsLine : id === stopId && state.open.length <= reserved;
      if (isEnd && partial === "") {
        end += chance;
        if (chance > highest) [highest, lineEnd] = [chance, kind === LINE ? vocabulary.textOf(id) : null];
      } else if (!endsLine && chance >= MIN_STEP) {
        const token = { kind: KINDS[kind]!, text: vocabulary.textOf(id) };
        steps.push({ token, chance, origins: isFirst ? originsOf(predictions, slot) : NO_ORIGINS });
      }
    }
    steps.sort((a, b) => b.chance - a.chance);
    return { end, lineEnd, steps };
  };
}

const NO_ORIGINS: readonly number[] = [];

function originsOf({ shares, capacity }: Predictions, slot: number): number[] {
  return Array.from({ length: COMPONENT_COUNT }, (_, component) => shares[component * capacity + slot]!);
}

type Expand = ReturnType<typeof createExpander>;

/** A node in the tree of possible continuations. All searches of a question share the tree, so no prediction is repeated. */
export interface SearchNode {
  readonly state: CursorState;
  /** Whether the user has typed the start of the next token. */
  readonly isHalfTyped: boolean;
  expand(): Expansion;
  after(token: CodeToken): SearchNode;
}

/** Creates the tree of continuations at a cursor. Nodes are created on demand. */
export function createSearchTree(expand: Expand, query: SearchQuery): SearchNode {
  const nodeOf = (state: CursorState, partial: string): SearchNode => {
    let expansion: Expansion | undefined;
    const next = new Map<string, SearchNode>();
    return {
      state,
      isHalfTyped: partial !== "",
      expand: () => {
        expansion ??= expand(query, state, partial);
        return expansion;
      },
      after: (token) => {
        let node = next.get(token.text);
        if (node === undefined) {
          node = nodeOf(advance(state, token, query.vocabulary), "");
          next.set(token.text, node);
        }
        return node;
      },
    };
  };
  return nodeOf(query.state, query.partial);
}

/** An unfinished path as a linked list of steps. The list of tokens is only made for finished paths. */
interface OpenPath {
  readonly previous: OpenPath | null;
  /** The node before the step. */
  readonly before: SearchNode;
  /** Null for the path without tokens. */
  readonly step: Step | null;
  readonly length: number;
  readonly chance: number;
}

function listSteps(path: OpenPath): Step[] {
  const steps: Step[] = [];
  for (let at: OpenPath | null = path; at !== null && at.step !== null; at = at.previous) steps.push(at.step);
  return steps.reverse();
}

interface SearchLimits {
  /** Maximum number of predictions. */
  readonly expansions: number;
  /** Paths with a lower probability are dropped. */
  readonly minChance: number;
}

/** Finds the most probable ends of the line by best-first search. */
export function findLines(start: SearchNode, max: number, { expansions, minChance }: SearchLimits): Path[] {
  const isHalfTyped = start.isHalfTyped;
  const open: OpenPath[] = [{ previous: null, before: start, step: null, length: 0, chance: 1 }];
  const done: Path[] = [];
  for (let spent = 0; spent < expansions && open.length > 0; spent += 1) {
    const path = open.shift()!;
    const worst = Math.max(minChance, done[max - 1]?.chance ?? 0);
    if (path.chance <= worst || path.length >= MAX_TOKENS) break;
    const node = path.step === null ? start : path.before.after(path.step.token);
    const { end, lineEnd, steps } = node.expand();
    if (end > 0 && path.chance * end > minChance && (path.length > 0 || !isHalfTyped)) {
      const own = listSteps(path);
      insertSorted(done, {
        tokens: own.map(({ token }) => token),
        origins: own[0]?.origins ?? NO_ORIGINS,
        state: node.state,
        isEnded: true,
        lineEnd,
        chance: path.chance * end,
        chances: [...own.map(({ chance }) => chance), end],
      });
    }
    for (const step of steps) {
      const chance = path.chance * step.chance;
      if (chance <= worst) break;
      insertSorted(open, { previous: path, before: node, step, length: path.length + 1, chance });
    }
  }
  return done.slice(0, max);
}

/** Follows the most probable step until the line ends or no step is probable enough. */
export function followBest(start: SearchNode, minChance: number): Path {
  const tokens: CodeToken[] = [];
  const chances: number[] = [];
  const isHalfTyped = start.isHalfTyped;
  let node = start;
  let chance = 1;
  let origins = NO_ORIGINS;
  while (tokens.length < MAX_TOKENS) {
    const { end, lineEnd, steps } = node.expand();
    const { state } = node;
    const best = steps[0];
    const canEnd = tokens.length > 0 || !isHalfTyped;
    if (canEnd && end >= (best?.chance ?? 0))
      return { tokens, origins, state, isEnded: true, lineEnd, chance: chance * end, chances: [...chances, end] };
    if (best === undefined || chance * best.chance < minChance) break;
    if (tokens.length === 0) origins = best.origins;
    node = node.after(best.token);
    tokens.push(best.token);
    chances.push(best.chance);
    chance *= best.chance;
  }
  return { tokens, chances, chance, origins, state: node.state, isEnded: false, lineEnd: null };
}

function insertSorted<T extends { readonly chance: number }>(list: T[], item: T): void {
  let at = list.length;
  while (at > 0 && list[at - 1]!.chance < item.chance) at -= 1;
  list.splice(at, 0, item);
}

const SEMICOLON = classOfOperator(";");
const COLON = classOfOperator(":");
const OPENING_OF: ReadonlyMap<number, string> = new Map(
  (
    [
      [")", "("],
      ["]", "["],
      ["}", "{"],
    ] as const
  ).map(([close, open]) => [classOfOperator(close), open]),
);

/**
 * Whether a token of this class can come next: the pair of classes was seen in training, and brackets match. The
 * innermost `reserved` brackets stay open, because the text after the cursor closes them.
 */
export function canFollow(state: CursorState, tokenClass: number, pairs: ClassPairs, reserved: number): boolean {
  if (tokenClass === WRAP_CLASS) return state.open.length > 0 && !state.isWrapped;
  if (!arePaired(pairs, state.lastClass, tokenClass)) return false;
  const partner = OPENING_OF.get(tokenClass);
  if (partner !== undefined) return state.open.length > reserved && state.open.at(-1) === partner;
  if (tokenClass === COLON) return mayTakeColon(state);
  if (tokenClass !== LINE_CLASS && tokenClass !== CELL_CLASS && tokenClass !== SEMICOLON) return true;
  return state.open.length === 0 && !(startsBlock(state) && !hasColon(state.statement));
}

const BLOCK_STARTS = new Set("if elif else for while with try except finally def class async".split(" "));

function startsBlock({ statement }: CursorState): boolean {
  const first = statement[0];
  return first?.kind === "keyword" && BLOCK_STARTS.has(first.text);
}

/** Whether the block header already has its colon. */
function hasColon(statement: readonly CodeToken[]): boolean {
  let depth = 0;
  let lambdas = 0;
  for (const { text, kind } of statement) {
    if (text === "(" || text === "[" || text === "{") depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    else if (depth === 0 && kind === "keyword" && text === "lambda") lambdas += 1;
    else if (depth === 0 && text === ":" && lambdas > 0) lambdas -= 1;
    else if (depth === 0 && text === ":") return true;
  }
  return false;
}

/**
 * A colon ends the header of a block, follows the parameters of a lambda, or occurs in a slice, a dict or an
 * annotation.
 */
function mayTakeColon(state: CursorState): boolean {
  const { statement, open } = state;
  const innermost = open.at(-1);
  if (innermost === "{") return true;
  let depth = 0;
  let hasLoop = false;
  for (let at = statement.length - 1; at >= 0; at -= 1) {
    const { text } = statement[at]!;
    if (text === ")" || text === "]" || text === "}") depth += 1;
    else if (text === "(" || text === "[" || text === "{") {
      if (depth === 0) break;
      depth -= 1;
    } else if (depth === 0 && text === "lambda") return true;
    else if (depth === 0 && text === "for") hasLoop = true;
  }
  if (innermost === "[") return !hasLoop;
  if (innermost === "(") return statement[0]?.text === "def";
  return startsBlock(state) ? !hasColon(statement) : statement.length === 1;
}
