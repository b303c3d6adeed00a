import { BUILTINS } from "../python/lex.js";
import type { CursorState } from "./cursor-state.js";
import type { Mixed } from "./mixture.js";
import { NO_PARTS, overlap, type Parts, stemMatch } from "./name-parts.js";
import { extendStart, type NotebookFacts } from "./notebook-facts.js";
import { COMPONENT_COUNT, type Predictions } from "./predict.js";
import { IMPORTED } from "./roles.js";
import { KINDS, NAME, NUMBER, STRING, WRAPPING } from "./token-classes.js";
import type { Vocabulary } from "./vocabulary.js";

/** Maximum number of candidates that the network scores. */
export const MAX_CANDIDATES = 32;
const PREDICTION_FEATURES = 5 * COMPONENT_COUNT + 1;
const OTHER_FEATURES = 65;
export const FEATURE_COUNT = PREDICTION_FEATURES + KINDS.length + OTHER_FEATURES;
const MIN_SHARE = 1e-6;

interface FeatureInput {
  readonly predictions: Predictions;
  readonly mixed: Mixed;
  readonly state: CursorState;
  readonly facts: NotebookFacts;
  readonly vocabulary: Vocabulary;
  readonly partial: string;
  /** The parts of a name or string. */
  readonly partsOf: (text: string) => Parts;
}

/**
 * Writes the features of each candidate, then those of the alternative "none of them". Returns the number of rows.
 * Features use only what is known before the next token.
 */
export function writeFeatures(input: FeatureInput, into: Float32Array): number {
  const { predictions, mixed, state, facts, vocabulary, partial, partsOf } = input;
  const { ids, shares, orders, counts, matched, support, mass, latest, latestAt, successor, capacity } = predictions;
  const previous = state.concrete.at(-1) ?? 0;
  const before = state.statement.at(-1)?.text ?? "";
  const isAttribute = before === ".";
  const isImport = state.statement[0]?.text === "import" || state.statement[0]?.text === "from";
  const typed = new Set(state.statement.map(({ text }) => text));
  const { keywords, commas } = readCall(state);
  const innermost = state.open.at(-1);
  const agoOf = (at: number) => (at === -1 ? Infinity : facts.cellsAgo(at));
  const latestAgo = agoOf(latestAt[0]!);
  const latestRoleAgo = agoOf(latestAt[1]!);
  const length = Math.min(state.statement.length + 1, 10) / 10;
  const { hint } = state;
  const freshness = 1 / (1 + hint.age);
  const assigned = partsOf(assignedName(state));
  const mentioned = partsOf(lastVariable(state));
  const lastString = partsOf(state.statement.findLast(({ kind }) => kind === "string")?.text ?? "");
  const top = mixed.count > 0 ? mixed.shares[0]! : 0;
  let known = 0;
  for (let rank = 0; rank < mixed.count; rank += 1) known += mixed.shares[rank]!;
  for (let row = 0; row <= mixed.count; row += 1) {
    const base = row * FEATURE_COUNT;
    into.fill(0, base, base + FEATURE_COUNT);
    const isNone = row === mixed.count;
    const slot = isNone ? -1 : mixed.slots[row]!;
    const share = isNone ? Math.max(0, 1 - known) : mixed.shares[row]!;
    for (let component = 0; component < COMPONENT_COUNT; component += 1) {
      const own = isNone ? 0 : shares[component * capacity + slot]! / Math.max(mass[component]!, MIN_SHARE);
      into[base + component] = logShare(isNone ? MIN_SHARE : own);
      into[base + COMPONENT_COUNT + component] = isNone ? 0 : orders[component * capacity + slot]! / 10;
      into[base + 2 * COMPONENT_COUNT + component] = matched[component]! / 10;
      into[base + 3 * COMPONENT_COUNT + component] = logCount(support[component]!);
      into[base + 4 * COMPONENT_COUNT + component] = isNone ? 0 : logCount(counts[component * capacity + slot]!);
    }
    into[base + 5 * COMPONENT_COUNT] = logShare(share);
    const flags = base + PREDICTION_FEATURES + KINDS.length;
    into[flags] = isNone ? 1 : 0;
    into[flags + 1] = logShare(top);
    into[flags + 2] = Math.min(state.open.length, 5) / 5;
    into[flags + 3] = Math.min(state.statement.length, 20) / 20;
    into[flags + 26] = mixed.unbound;
    into[flags + 4] = Math.min(partial.length, 8) / 8;
    into[flags + 41] = innermost === "(" ? 1 : 0;
    into[flags + 42] = innermost === "[" ? 1 : 0;
    into[flags + 43] = innermost === "{" ? 1 : 0;
    into[flags + 44] = Math.min(commas, 5) / 5;
    into[flags + 45] = state.statement.length === 0 ? 1 : 0;
    if (isNone) continue;
    const id = ids[slot]!;
    const text = vocabulary.textOf(id);
    const kind = vocabulary.kindAt(id);
    into[base + PREDICTION_FEATURES + kind] = 1;
    const count = facts.countOf(id);
    const isName = kind === NAME && !isAttribute && !isImport;
    const role = isName ? state.scope.roleOf(text) : null;
    into[flags + 5] = isName && role !== null && role !== IMPORTED ? 1 : 0;
    into[flags + 6] = isName && role === IMPORTED ? 1 : 0;
    into[flags + 7] = isName && role === null && !BUILTINS.has(text) ? 1 : 0;
    into[flags + 8] = isName && role === null && BUILTINS.has(text) ? 1 : 0;
    into[flags + 9] = isAttribute ? 1 : 0;
    into[flags + 10] = Math.log1p(count) / 5;
    into[flags + 11] = 1 / (1 + facts.distanceOf(id) / 20);
    into[flags + 12] = facts.hasPair(previous, id) ? 1 : 0;
    into[flags + 13] = typed.has(text) ? 1 : 0;
    into[flags + 14] = kind === NAME && typed.has(text) ? 1 : 0;
    into[flags + 15] = partial !== "" && text === partial ? 1 : 0;
    const words = (kind === NAME || kind === STRING) && text.length > 1 ? partsOf(text) : NO_PARTS;
    const parts = isName || kind === STRING ? words : NO_PARTS;
    into[flags + 27] = freshness * stemMatch(words, hint.words);
    into[flags + 28] = stemMatch(words, facts.topic);
    into[flags + 29] = isAttribute ? stemMatch(words, assigned) : 0;
    into[flags + 30] = isAttribute ? 0 : stemMatch(words, assigned);
    const isUnused = role !== null && state.scope.usesOf(text) === 0 && !typed.has(text);
    into[flags + 31] = isUnused && role !== IMPORTED ? 1 : 0;
    into[flags + 32] = isUnused && role === IMPORTED ? 1 : 0;
    into[flags + 33] = id === latest[0] ? matched[3]! / 10 : 0;
    into[flags + 34] = id === latest[1] ? matched[4]! / 10 : 0;
    into[flags + 35] = id === successor ? 1 : 0;
    into[flags + 36] = id === successor && id !== latest[0] ? matched[4]! / 10 : 0;
    into[flags + 37] = isName && keywords.has(text) ? 1 : 0;
    into[flags + 38] = isName && role !== null && state.scope.usesOf(text) === 1 ? 1 : 0;
    into[flags + 39] = isImport ? stemMatch(words, hint.words) : 0;
    into[flags + 40] = isName ? overlap(words, hint.words) : 0;
    const ago = facts.startedAgo(extendStart(state.start, id));
    into[flags + 46] = ago === 0 ? length : 0;
    into[flags + 47] = ago === 1 ? length : 0;
    into[flags + 48] = ago > 1 && ago < Infinity ? length / Math.sqrt(ago) : 0;
    into[flags + 49] = ago < Infinity ? 1 : 0;
    into[flags + 50] = id === latest[0] && latestAgo === 0 ? 1 : 0;
    into[flags + 51] = id === latest[0] && latestAgo === 1 ? 1 : 0;
    into[flags + 52] = id === latest[1] && latestRoleAgo === 0 ? 1 : 0;
    into[flags + 53] = id === latest[1] && latestRoleAgo === 1 ? 1 : 0;
    into[flags + ASSIGNED] = overlap(parts, assigned);
    into[flags + MENTIONED] = overlap(parts, mentioned);
    into[flags + IN_LAST_STRING] = isName ? overlap(parts, lastString) : 0;
    into[flags + 55] = kind === STRING ? Math.min(text.length, 40) / 40 : 0;
    into[flags + 56] = kind === STRING && count === 0 ? Math.min(text.length, 40) / 40 : 0;
    into[flags + 57] = kind === STRING && /[/\\]|\.\w{2,5}'$/.test(text) ? 1 : 0;
    into[flags + 58] = kind === STRING && /[A-Z ]/.test(text) ? 1 : 0;
    into[flags + 23] = isImport && state.scope.isBound(text) ? 1 : 0;
    into[flags + 24] = isName && role !== null && before === "" ? 1 : 0;
    into[flags + 25] = state.open.length > 0 && kind === WRAPPING ? 1 : 0;
    into[flags + 17] = (kind === STRING || kind === NUMBER) && count > 0 ? 1 : 0;
    into[flags + 18] = text === ")" || text === "]" || text === "}" ? 1 : 0;
    into[flags + 19] = (text === ")" && before === "(") || (text === "]" && before === "[") ? 1 : 0;
    into[flags + 20] = text === "(" || text === "[" || text === "{" ? 1 : 0;
    into[flags + 21] = row / MAX_CANDIDATES;
  }
  for (const [at, own] of RELATIVE.entries()) compareRows(into, mixed.count, own, 59 + 2 * at);
  return mixed.count + 1;
}

/** Indexes of the features whose values are also compared across the candidates. */
const ASSIGNED = 16;
const MENTIONED = 22;
const IN_LAST_STRING = 54;
const RELATIVE = [ASSIGNED, MENTIONED, IN_LAST_STRING] as const;

/** Writes, for each row, the difference to the highest value of a feature, and whether the row has that value. */
function compareRows(into: Float32Array, rows: number, flag: number, target: number): void {
  let highest = 0;
  for (let row = 0; row < rows; row += 1) highest = Math.max(highest, into[placeOf(row, flag)]!);
  if (highest === 0) return;
  for (let row = 0; row < rows; row += 1) {
    const own = into[placeOf(row, flag)]!;
    into[placeOf(row, target)] = highest - own;
    into[placeOf(row, target + 1)] = own === highest ? 1 : 0;
  }
}

const placeOf = (row: number, flag: number): number => row * FEATURE_COUNT + PREDICTION_FEATURES + KINDS.length + flag;

function logShare(share: number): number {
  return Math.log(Math.max(share, MIN_SHARE)) / 5;
}

function logCount(count: number): number {
  return Math.log1p(count) / 8;
}

/** The name that the statement assigns to. */
function assignedName({ statement }: CursorState): string {
  const at = statement.findIndex(({ text }) => text === "=");
  return at === -1 ? "" : (statement.slice(0, at).findLast(({ kind }) => kind === "name")?.text ?? "");
}

function lastVariable(state: CursorState): string {
  return state.statement.findLast(({ kind, text }) => kind === "name" && state.scope.isBound(text))?.text ?? "";
}

/** The keyword arguments already typed in the innermost call, and the number of commas in the innermost brackets. */
function readCall({ statement, open }: CursorState): {
  readonly keywords: ReadonlySet<string>;
  readonly commas: number;
} {
  const keywords = new Set<string>();
  let commas = 0;
  let depth = 0;
  for (let at = statement.length - 1; at >= 0 && open.length > 0; at -= 1) {
    const { text } = statement[at]!;
    if (text === ")" || text === "]" || text === "}") depth += 1;
    else if (text === "(" || text === "[" || text === "{") {
      if (depth === 0) break;
      depth -= 1;
    } else if (depth === 0 && text === ",") commas += 1;
    else if (depth === 0 && text === "=" && at > 0 && open.at(-1) === "(") keywords.add(statement[at - 1]!.text);
  }
  return { keywords, commas };
}
