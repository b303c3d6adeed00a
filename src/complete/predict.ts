import { type ContextIndex, type Continuations, MAX_ORDER, type Range } from "./context-index.js";
import type { PriorTrie } from "./prior.js";

/** The sources of predictions, outermost first. */
const COMPONENTS = ["prior", "indexNames", "indexRoles", "notebookNames", "notebookRoles"] as const;
export const COMPONENT_COUNT = COMPONENTS.length;
const PRIOR = 0;
const INDEX_NAMES = 1;
const INDEX_ROLES = 2;
const NOTEBOOK_NAMES = 3;
const NOTEBOOK_ROLES = 4;

/** `concrete`: tokens as written. `abstract`: variables and literals replaced by their roles and kinds. */
export type StreamName = "concrete" | "abstract";

/** The notebook's own tokens, as numbers, in their order. */
export interface NotebookIds {
  readonly length: number;
  readonly concrete: Int32Array;
  readonly abstract: Int32Array;
  readonly target: Int32Array;
  /** 1 for a token that starts a line inside brackets, else 0. */
  readonly wrapped: Uint8Array;
  /** The number of the line break token that is predicted before a token that starts a line inside brackets. */
  readonly wrap: number;
  /** The positions of a token, in ascending order: in the cells above, and in the typed cell, relative to `typedFrom`. */
  placesOf(stream: StreamName, id: number): readonly number[];
  typedPlacesOf(stream: StreamName, id: number): readonly number[];
  readonly typedFrom: number;
  /** Different names, strings and numbers, the most recent first: those after a dot, or all others. */
  recent(isAfterDot: boolean): readonly number[];
  /** The number of the dot. */
  readonly dot: number;
}

/** The tokens before the predicted token, the nearest last. */
interface ContextIds {
  readonly concrete: readonly number[];
  readonly abstract: readonly number[];
}

interface PredictOptions {
  /**
   * Maps a predicted (role, rank) to the user's variable, and any other number to itself; 0 if there is no such
   * variable.
   */
  readonly resolve: (id: number) => number;
  /** One more than the largest token number. */
  readonly size: number;
  /** Whether a token is possible here. */
  readonly accepts: (id: number) => boolean;
  /** The token that continues a count, such as `3` after `2`; 0 if there is none. */
  readonly successorOf: (id: number) => number;
  /** Whether few tokens are accepted, so longer lists must be searched. */
  readonly isSelective: boolean;
}

/**
 * Candidates for the next token. An array with a value by component and candidate has one section of `capacity` entries
 * for each component.
 */
export interface Predictions {
  readonly count: number;
  readonly ids: Int32Array;
  /** Probability by component and candidate. The sum of each component is at most 1. */
  readonly shares: Float64Array;
  /** Length of the longest context in which the candidate was seen, by component and candidate. */
  readonly orders: Uint8Array;
  /** How often the candidate was seen in its longest context. */
  readonly counts: Float32Array;
  /** Length of the longest context known to each component. */
  readonly matched: Uint8Array;
  /** How often each component saw its longest context. */
  readonly support: Float32Array;
  /** Share of each component's predictions that is accepted. */
  readonly mass: Float64Array;
  /** Share of each component's predictions for variables of a role that the notebook does not have. */
  readonly unbound: Float64Array;
  /**
   * The token after the latest of the longest matches in the notebook, for the concrete and the abstract stream; 0 if
   * there is no match.
   */
  readonly latest: Int32Array;
  /** The positions in the notebook of the two tokens in `latest`; -1 if there is no match. */
  readonly latestAt: Int32Array;
  /** The token that continues a count after the latest match, such as `3` after `2`. */
  readonly successor: number;
  readonly capacity: number;
}

/** A part of the index's token stream: the main part, or later additions. */
export interface IndexSegment {
  readonly names: ContextIndex;
  readonly roles: ContextIndex;
}

export interface Predictor {
  predict(context: ContextIds, notebook: NotebookIds, options: PredictOptions): Predictions;
}

const CAPACITY = 4_096;
const REJECTED = -1;
const MAX_CONTINUATIONS = 32;
const MAX_CONTINUATIONS_SELECTIVE = 20_000;
/** Maximum number of accepted tokens that are read from a list of continuations. The less frequent rest is ignored. */
const MAX_ACCEPTED = 256;
/** Minimum remaining probability mass for which a shorter context is tried. */
const MIN_REMAINING = 0.005;
const MAX_DISCOUNT = 0.9;
const MIN_DISCOUNT = 0.6;
/** Minimum number of equal context tokens for continuing a count. */
const MIN_COUNTING_ORDER = 2;
/** Probability mass of the next number of a count: `df_2` where the notebook had `df_1`. */
const SUCCESSOR_SHARE = 0.02;

/** Maximum number of recent tokens that continue a half-typed one. */
const MAX_RECENT = 2_000;

/** Creates a function that collects the predictions of every component. */
export function createPredictor(prior: PriorTrie | null, segments: () => readonly IndexSegment[]): Predictor {
  let slots = new Int32Array(0);
  const ids = new Int32Array(CAPACITY);
  const shares = new Float64Array(CAPACITY * COMPONENT_COUNT);
  const orders = new Uint8Array(CAPACITY * COMPONENT_COUNT);
  const counted = new Float32Array(CAPACITY * COMPONENT_COUNT);
  const matched = new Uint8Array(COMPONENT_COUNT);
  const support = new Float32Array(COMPONENT_COUNT);
  const mass = new Float64Array(COMPONENT_COUNT);
  const unbound = new Float64Array(COMPONENT_COUNT);
  const latest = new Int32Array(2);
  const latestAt = new Int32Array(2);
  let successor = 0;
  let used = 0;
  /** Tokens that this prediction rejected. */
  const rejected: number[] = [];
  const spreadSlots = new Int32Array(MAX_RECENT);

  /** The slot of a candidate; -1 if it is not accepted or there is no room. */
  const slotOf = (id: number, accepts: (id: number) => boolean): number => {
    const known = slots[id]!;
    if (known > 0) return known - 1;
    if (known === REJECTED || used === CAPACITY) return -1;
    if (!accepts(id)) {
      slots[id] = REJECTED;
      rejected.push(id);
      return -1;
    }
    ids[used] = id;
    for (let component = 0; component < COMPONENT_COUNT; component += 1) {
      shares[component * CAPACITY + used] = 0;
      orders[component * CAPACITY + used] = 0;
      counted[component * CAPACITY + used] = 0;
    }
    used += 1;
    slots[id] = used;
    return used - 1;
  };
  const add = (
    component: number,
    target: number,
    share: number,
    order: number,
    count: number,
    options: PredictOptions,
  ): boolean => {
    const id = options.resolve(target);
    if (id === 0) unbound[component]! += share;
    const slot = id === 0 ? -1 : slotOf(id, options.accepts);
    if (slot === -1) return false;
    const place = component * CAPACITY + slot;
    shares[place]! += share;
    if (orders[place]! < order) orders[place] = order;
    if (orders[place] === order) counted[place]! += count;
    mass[component]! += share;
    return true;
  };

  /** Distributes a share over tokens, the first of which gets the most. */
  const spread = (component: number, over: readonly number[], share: number, options: PredictOptions) => {
    let total = 0;
    let listed = 0;
    for (let at = 0; at < over.length && listed < MAX_RECENT; at += 1) {
      const slot = slotOf(over[at]!, options.accepts);
      if (slot === -1) continue;
      spreadSlots[listed] = slot;
      listed += 1;
      total += 1 / (1 + listed);
    }
    for (let at = 0; at < listed; at += 1) {
      const own = share / (2 + at) / total;
      shares[component * CAPACITY + spreadSlots[at]!]! += own;
      mass[component]! += own;
    }
  };

  const askIndex = (
    component: number,
    sources: readonly ContextIndex[],
    context: readonly number[],
    options: PredictOptions,
  ) => {
    const ranges = sources.map((source) => findRanges(source, context));
    let longest = 0;
    for (const { length } of ranges) if (length > longest) longest = length;
    matched[component] = longest;
    let left = 1;
    const max = options.isSelective ? MAX_CONTINUATIONS_SELECTIVE : MAX_CONTINUATIONS;
    const min = options.isSelective ? 0 : MIN_REMAINING;
    for (let order = longest; order >= 1 && left > min; order -= 1) {
      const discount = discountOf(order);
      let total = 0;
      let distinct = 0;
      const lists: Continuations[] = [];
      for (const [at, source] of sources.entries()) {
        const range = ranges[at]![order - 1];
        if (range === undefined) continue;
        const list = source.continuations(range);
        lists.push(list);
        total += list.total;
        distinct += list.ids.length;
      }
      for (const { ids: found, counts } of lists) {
        const listed = Math.min(found.length, max);
        let accepted = 0;
        for (let at = 0; at < listed && accepted < MAX_ACCEPTED; at += 1) {
          const share = (left * (counts[at]! - discount)) / total;
          if (add(component, found[at]!, share, order, counts[at]!, options)) accepted += 1;
        }
      }
      if (order === longest) support[component] = total;
      left *= (discount * distinct) / total;
    }
  };

  const askPrior = (trie: PriorTrie, context: readonly number[], options: PredictOptions) => {
    const nodes = trie.walk(context);
    matched[PRIOR] = nodes.length - 1;
    let left = 1;
    const max = options.isSelective ? MAX_CONTINUATIONS_SELECTIVE : MAX_CONTINUATIONS * 2;
    const min = options.isSelective ? 0 : MIN_REMAINING;
    for (let order = nodes.length - 1; order >= 0 && left > min; order -= 1) {
      const { from, to, total, distinct } = trie.continuations(nodes[order]!);
      const discount = discountOf(Math.max(1, order));
      const end = Math.min(to, from + max);
      let accepted = 0;
      for (let at = from; at < end && accepted < MAX_ACCEPTED; at += 1) {
        const count = trie.countAt(at);
        const share = (left * Math.max(0.1, count - discount)) / total;
        if (add(PRIOR, trie.targets[at]!, share, order, count, options)) accepted += 1;
      }
      if (order === nodes.length - 1) support[PRIOR] = total;
      left *= Math.min(0.98, (discount * distinct) / total);
    }
  };

  const buckets: number[][] = Array.from({ length: MAX_ORDER + 1 }, () => []);
  const targetCounts = new Map<number, number>();
  /** Predicts from the notebook's own tokens, from the longest matching context to the shortest. */
  const askNotebook = (
    component: number,
    name: StreamName,
    targets: Int32Array,
    notebook: NotebookIds,
    context: readonly number[],
    options: PredictOptions,
  ) => {
    const last = context.at(-1) ?? 0;
    for (const bucket of buckets) bucket.length = 0;
    let longest = 0;
    const end = context.length - 1;
    const { length, concrete, wrapped, wrap, typedFrom } = notebook;
    const stream = notebook[name];
    const far = notebook.placesOf(name, last);
    const near = notebook.typedPlacesOf(name, last);
    const count = far.length + near.length;
    for (let place = 0; place < count; place += 1) {
      const at = 1 + (place < far.length ? far[place]! : near[place - far.length]! + typedFrom);
      if (at === length) continue;
      let order = 1;
      while (
        order < MAX_ORDER &&
        order <= end &&
        at - 1 - order >= 0 &&
        stream[at - 1 - order] === context[end - order]
      )
        order += 1;
      buckets[order]!.push(at);
      if (order > longest) longest = order;
    }
    matched[component] = longest;
    const place = buckets[longest]!.at(-1);
    if (longest > 0 && place !== undefined) {
      latest[component - NOTEBOOK_NAMES] = options.resolve(targets[place]!);
      latestAt[component - NOTEBOOK_NAMES] = place;
      if (component === NOTEBOOK_ROLES && longest >= MIN_COUNTING_ORDER) {
        successor = options.successorOf(concrete[place]!);
        if (successor !== 0) add(component, successor, SUCCESSOR_SHARE, longest, 0, options);
      }
    }
    targetCounts.clear();
    let left = 1;
    let total = 0;
    for (let order = longest; order >= 1 && left > MIN_REMAINING; order -= 1) {
      const bucket = buckets[order]!;
      // A shorter context that is not more frequent than the longer one adds nothing.
      if (bucket.length === 0) continue;
      for (const at of bucket) {
        targetCounts.set(targets[at]!, (targetCounts.get(targets[at]!) ?? 0) + 1);
        if (wrapped[at] === 1) targetCounts.set(wrap, (targetCounts.get(wrap) ?? 0) + 1);
        total += 1 + wrapped[at]!;
      }
      const discount = discountOf(order);
      for (const [target, count] of targetCounts)
        add(component, target, (left * (count - discount)) / total, order, count, options);
      if (order === longest) support[component] = total;
      left *= (discount * targetCounts.size) / total;
    }
    // A half-typed name or string is often one that the notebook has, but not yet in this context.
    if (component === NOTEBOOK_NAMES && options.isSelective && left > MIN_REMAINING)
      spread(component, notebook.recent(last === notebook.dot), left, options);
  };

  return {
    predict(context, notebook, options) {
      if (slots.length < options.size) slots = new Int32Array(options.size + 65_536);
      used = 0;
      matched.fill(0);
      support.fill(0);
      mass.fill(0);
      unbound.fill(0);
      latest.fill(0);
      latestAt.fill(-1);
      successor = 0;
      const current = segments();
      if (prior !== null) askPrior(prior, context.abstract, options);
      if (current.length > 0) {
        askIndex(
          INDEX_NAMES,
          current.map(({ names }) => names),
          context.concrete,
          options,
        );
        askIndex(
          INDEX_ROLES,
          current.map(({ roles }) => roles),
          context.abstract,
          options,
        );
      }
      askNotebook(NOTEBOOK_NAMES, "concrete", notebook.concrete, notebook, context.concrete, options);
      askNotebook(NOTEBOOK_ROLES, "abstract", notebook.target, notebook, context.abstract, options);
      for (let slot = 0; slot < used; slot += 1) slots[ids[slot]!] = 0;
      for (const id of rejected) slots[id] = 0;
      rejected.length = 0;
      return {
        count: used,
        ids,
        shares,
        orders,
        counts: counted,
        matched,
        support,
        mass,
        unbound,
        latest,
        latestAt,
        successor,
        capacity: CAPACITY,
      };
    },
  };
}

/** The ranges of positions that share 1, 2, 3, ... tokens with the end of the context. */
export function findRanges(source: ContextIndex, context: readonly number[]): Range[] {
  const ranges: Range[] = [];
  let range: Range | null = { low: 0, high: source.length };
  for (let depth = 0; depth < MAX_ORDER && depth < context.length; depth += 1) {
    const token = context[context.length - 1 - depth]!;
    range = token === 0 ? null : source.narrow(range, depth, token);
    if (range === null) break;
    ranges.push(range);
  }
  return ranges;
}

function discountOf(order: number): number {
  return MAX_DISCOUNT - ((MAX_DISCOUNT - MIN_DISCOUNT) * (order - 1)) / (MAX_ORDER - 1);
}
