import { NO_PARTS, type Parts } from "./name-parts.js";
import type { NotebookIds, StreamName } from "./predict.js";
import type { TokenStream } from "./stream.js";
import { NAME, NUMBER, STRING } from "./token-classes.js";
import { WRAP } from "./tokens.js";
import type { Vocabulary } from "./vocabulary.js";

/** Statistics of the user's own tokens, shared by all predictions at one cursor. */
export interface NotebookFacts {
  readonly ids: NotebookIds;
  /** How often a token occurs in the notebook. */
  countOf(id: number): number;
  /** Whether two tokens occur next to each other somewhere. */
  hasPair(first: number, second: number): boolean;
  /** How many tokens ago a token was last seen; Infinity if it never was. */
  distanceOf(id: number): number;
  /** How many cells ago a statement began with these tokens: 0 for the current cell, Infinity for never. */
  startedAgo(start: StatementStart): number;
  /** How many cells ago the token at this position was. */
  cellsAgo(position: number): number;
  /** The words of the Markdown above. */
  readonly topic: Parts;
}

/** Older tokens of a long notebook are ignored. */
const MAX_NOTEBOOK_TOKENS = 8_000;
const PAIR_BASE = 2 ** 24;

/** The first tokens of a statement, as a hash of their numbers. */
export type StatementStart = number;
export const NO_START: StatementStart = 0x811c9dc5;

export function extendStart(start: StatementStart, id: number): StatementStart {
  const mixed = Math.imul(start ^ id, 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Statistics of a part of a notebook that no longer changes. */
export interface FactsLayer {
  readonly ids: NotebookIds;
  /** Adjacent pairs, encoded as first * PAIR_BASE + second. */
  readonly pairs: ReadonlySet<number>;
  /** The last cell with a statement that has this start. */
  readonly starts: ReadonlyMap<StatementStart, number>;
  /** The cell of each token. */
  readonly cells: Int32Array;
  /** Different names, strings and numbers, the most recent first: those after a dot, and all others. */
  readonly afterDot: readonly number[];
  readonly others: readonly number[];
}

/** Computes the statistics of a stream. `previous` is the token before it. */
export function readLayer(stream: TokenStream, vocabulary: Vocabulary, previous = 0): FactsLayer {
  const from = Math.max(0, stream.concrete.length - MAX_NOTEBOOK_TOKENS);
  const length = stream.concrete.length - from;
  const concrete = new Int32Array(length);
  const abstract = new Int32Array(length);
  const target = new Int32Array(length);
  const wrapped = new Uint8Array(length);
  const pairs = new Set<number>();
  const starts = new Map<StatementStart, number>();
  const cells = new Int32Array(length);
  const dot = vocabulary.add(".");
  const places: Record<StreamName, Map<number, number[]>> = { concrete: new Map(), abstract: new Map() };
  let before = previous;
  let start = NO_START;
  for (let at = 0; at < length; at += 1) {
    const { kind, text, isWrapped } = stream.tokens[from + at]!;
    const id = vocabulary.add(text);
    const role = stream.abstract[from + at]!;
    const predicted = stream.target[from + at]!;
    concrete[at] = id;
    if (isWrapped) wrapped[at] = 1;
    // Most tokens are the same in all three streams.
    abstract[at] = role === text ? id : vocabulary.add(role);
    target[at] = predicted === text ? id : vocabulary.add(predicted);
    addPlace(places.concrete, id, at);
    addPlace(places.abstract, abstract[at]!, at);
    cells[at] = stream.cell[from + at]!;
    start = extendStart(start, id);
    starts.set(start, cells[at]!);
    if (kind === "line" || kind === "cell" || text === ";") start = NO_START;
    if (before !== 0) pairs.add(before * PAIR_BASE + id);
    before = id;
  }
  const [afterDot, others] = listRecent(concrete, dot, vocabulary);
  return {
    ids: {
      length,
      concrete,
      abstract,
      target,
      wrapped,
      wrap: vocabulary.add(WRAP),
      placesOf: (name, id) => places[name].get(id) ?? NO_PLACES,
      typedPlacesOf: () => NO_PLACES,
      typedFrom: length,
      recent: (isAfterDot) => (isAfterDot ? afterDot : others),
      dot,
    },
    pairs,
    starts,
    cells,
    afterDot,
    others,
  };
}

/** Lists the different names, strings and numbers, the most recent first: those after a dot, and all others. */
function listRecent(ids: Int32Array, dot: number, vocabulary: Vocabulary): [number[], number[]] {
  const afterDot = new Set<number>();
  const others = new Set<number>();
  for (let at = ids.length - 1; at >= 0; at -= 1) {
    const id = ids[at]!;
    const kind = vocabulary.kindAt(id);
    if (kind === NAME || kind === STRING || kind === NUMBER)
      (at > 0 && ids[at - 1] === dot ? afterDot : others).add(id);
  }
  return [[...afterDot], [...others]];
}

const NO_PLACES: readonly number[] = [];

function addPlace(places: Map<number, number[]>, id: number, at: number): void {
  const known = places.get(id);
  if (known === undefined) places.set(id, [at]);
  else known.push(at);
}

/**
 * Joins the statistics of the cells above with those of the current cell. While the user types, only the second layer
 * changes.
 */
export function joinLayers(above: FactsLayer, typed: FactsLayer, topic: Parts = NO_PARTS): NotebookFacts {
  const length = above.ids.length + typed.ids.length;
  const current = (above.cells.at(-1) ?? -1) + 1;
  const recentOf = (near: readonly number[], far: readonly number[]) =>
    near.length === 0 ? far : [...new Set([...near, ...far])];
  const join = <T extends Int32Array | Uint8Array>(into: T, first: T, second: T): T => {
    into.set(first);
    into.set(second, first.length);
    return into;
  };
  return {
    ids: {
      length,
      concrete: join(new Int32Array(length), above.ids.concrete, typed.ids.concrete),
      abstract: join(new Int32Array(length), above.ids.abstract, typed.ids.abstract),
      target: join(new Int32Array(length), above.ids.target, typed.ids.target),
      wrapped: join(new Uint8Array(length), above.ids.wrapped, typed.ids.wrapped),
      wrap: above.ids.wrap,
      placesOf: above.ids.placesOf,
      typedPlacesOf: typed.ids.placesOf,
      typedFrom: above.ids.length,
      recent: (isAfterDot) =>
        isAfterDot ? recentOf(typed.afterDot, above.afterDot) : recentOf(typed.others, above.others),
      dot: above.ids.dot,
    },
    countOf: (id) => above.ids.placesOf("concrete", id).length + typed.ids.placesOf("concrete", id).length,
    hasPair: (first, second) => {
      const pair = first * PAIR_BASE + second;
      return typed.pairs.has(pair) || above.pairs.has(pair);
    },
    distanceOf: (id) => {
      const near = typed.ids.placesOf("concrete", id).at(-1);
      if (near !== undefined) return typed.ids.length - near;
      const far = above.ids.placesOf("concrete", id).at(-1);
      return far === undefined ? Infinity : length - far;
    },
    startedAgo: (start) => {
      if (typed.starts.has(start)) return 0;
      const cell = above.starts.get(start);
      return cell === undefined ? Infinity : current - cell;
    },
    cellsAgo: (position) => (position >= above.ids.length ? 0 : current - above.cells[position]!),
    topic,
  };
}
