import { type ContextArrays, ID_MASK, MAX_ORDER } from "./context-index.js";

/**
 * The prior: how authors in general use libraries. A trie of contexts, nearest token first, with counts of the tokens
 * that follow. It contains roles and names of libraries, no author's code.
 */
export interface PriorTrie {
  /** The nodes of the longest known context, from the root on. */
  walk(context: readonly number[]): number[];
  continuations(node: number): PriorContinuations;
  readonly targets: Int32Array;
  countAt(place: number): number;
}

interface PriorContinuations {
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly distinct: number;
}

/** The stored trie. Nodes are in breadth-first order, so the children of a node are adjacent. */
export interface PriorArrays {
  /** The token on the edge to each node. */
  readonly tokens: Int32Array;
  /** Index of the first child of each node; the children of node n end before those of node n + 1. */
  readonly children: Int32Array;
  /** Index of the first continuation of each node. */
  readonly starts: Int32Array;
  /** Occurrences of each context, including pruned continuations. */
  readonly totals: Float32Array;
  readonly targets: Int32Array;
  /** Counts as logarithms to the base 1.1. */
  readonly counts: Uint8Array;
}

const COUNT_BASE = 1.1;

export function createPriorTrie({ tokens, children, starts, totals, targets, counts }: PriorArrays): PriorTrie {
  const powers = Float64Array.from({ length: 256 }, (_, byte) => COUNT_BASE ** byte);
  const child = (node: number, token: number): number => {
    let low = children[node]!;
    let high = children[node + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (tokens[middle]! < token) low = middle + 1;
      else high = middle;
    }
    return low < children[node + 1]! && tokens[low] === token ? low : -1;
  };
  return {
    targets,
    countAt: (place) => powers[counts[place]!]!,
    walk(context) {
      const nodes = [0];
      for (let at = context.length - 1; at >= 0 && nodes.length <= MAX_ORDER; at -= 1) {
        const next = child(nodes.at(-1)!, context[at]!);
        if (next === -1) break;
        nodes.push(next);
      }
      return nodes;
    },
    continuations(node) {
      const from = starts[node]!;
      const to = starts[node + 1]!;
      return { from, to, total: totals[node]!, distinct: to - from + 1 };
    },
  };
}

interface PriorOptions {
  /** The number of a line break inside brackets. */
  readonly wrap: number;
  /** The author of each position of the stream. */
  readonly authors: Int32Array;
  readonly minAuthors: number;
  readonly maxOrder: number;
  readonly isAllowed: (target: number) => boolean;
}

interface Building {
  readonly token: number;
  readonly total: number;
  readonly next: readonly (readonly [number, number])[];
  readonly children: Building[];
}

/** Counts the continuations of each context, and keeps those that at least `minAuthors` authors wrote. */
export function buildPrior({ context, sorted, targetAt }: ContextArrays, options: PriorOptions): PriorArrays {
  const { authors, minAuthors, maxOrder, isAllowed, wrap } = options;
  const positionAt = (place: number) => (sorted[place]! < 0 ? ~sorted[place]! : sorted[place]!);
  const keyAt = (place: number, depth: number) => {
    const position = positionAt(place) - 1 - depth;
    return position >= 0 ? context[position]! & ID_MASK : 0;
  };
  const build = (token: number, low: number, high: number, depth: number, parent: Building | null): Building | null => {
    const counts = new Map<number, number>();
    const writers = new Map<number, Set<number>>();
    for (let at = low; at < high; at += 1) {
      const target = sorted[at]! < 0 ? wrap : targetAt(sorted[at]!);
      counts.set(target, (counts.get(target) ?? 0) + 1);
      let known = writers.get(target);
      if (known === undefined) {
        known = new Set();
        writers.set(target, known);
      }
      if (known.size < minAuthors) known.add(authors[positionAt(at)]!);
    }
    const kept = [...counts].filter(([target]) => writers.get(target)!.size >= minAuthors && isAllowed(target));
    if (kept.length === 0) return null;
    kept.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const children: Building[] = [];
    const node: Building = { token, total: high - low, next: kept, children };
    if (depth < maxOrder && high - low >= 2 * minAuthors) {
      for (let from = low; from < high; ) {
        const key = keyAt(from, depth);
        let to = from + 1;
        while (to < high && keyAt(to, depth) === key) to += 1;
        if (key !== 0 && to - from >= minAuthors) {
          const made = build(key, from, to, depth + 1, node);
          if (made !== null) children.push(made);
        }
        from = to;
      }
    }
    return children.length === 0 && parent !== null && addsNothing(node, parent) ? null : node;
  };
  return flatten(build(0, 0, sorted.length, 0, null)!);
}

/** Whether a longer context predicts nearly the same as the shorter one. Such a context is not worth storing. */
function addsNothing(node: Building, parent: Building): boolean {
  const before = new Map(parent.next);
  let difference = 0;
  for (const [target, count] of node.next)
    difference += Math.abs(count / node.total - (before.get(target) ?? 0) / parent.total);
  return difference < 0.15;
}

function flatten(root: Building): PriorArrays {
  const nodes: Building[] = [root];
  const children: number[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    children.push(nodes.length);
    const sorted = [...nodes[at]!.children].sort((a, b) => a.token - b.token);
    for (const node of sorted) nodes.push(node);
  }
  children.push(nodes.length);
  const starts = [0];
  for (const { next } of nodes) starts.push(starts.at(-1)! + next.length);
  const encode = (count: number) => Math.min(255, Math.round(Math.log(count) / Math.log(COUNT_BASE)));
  return {
    tokens: Int32Array.from(nodes, ({ token }) => token),
    children: Int32Array.from(children),
    starts: Int32Array.from(starts),
    totals: Float32Array.from(nodes, ({ total }) => total),
    targets: Int32Array.from(nodes.flatMap(({ next }) => next.map(([target]) => target))),
    counts: Uint8Array.from(nodes.flatMap(({ next }) => next.map(([, count]) => encode(count)))),
  };
}
