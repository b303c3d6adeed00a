/**
 * A suffix array over reversed contexts: the positions of a token stream, sorted by the preceding tokens, nearest
 * first. All positions with the same context form one range, so n-grams of any order are counted without a table.
 */
export interface ContextIndex {
  readonly length: number;
  /**
   * Narrows a range in which all positions have the same `depth` tokens before them. Keeps the positions with `token`
   * before those tokens.
   */
  narrow(range: Range, depth: number, token: number): Range | null;
  /** The tokens that follow the context of a range, most frequent first. */
  continuations(range: Range): Continuations;
  /** The position in the stream of the n-th of the sorted contexts. */
  positionAt(sorted: number): number;
  readonly arrays: ContextArrays;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface Continuations {
  readonly total: number;
  readonly ids: Int32Array;
  readonly counts: Int32Array;
}

export interface ContextArrays {
  /** The number of each token as part of a context, in the lowest `ID_BITS` bits. */
  readonly context: Int32Array;
  /** The token to predict at a position. */
  readonly targetAt: (position: number) => number;
  /**
   * The positions sorted by context. The value ~p means that a line break inside brackets is predicted at position p.
   */
  readonly sorted: Int32Array;
}

export const MAX_ORDER = 10;
export const ID_BITS = 24;
export const ID_MASK = 2 ** ID_BITS - 1;
/** Contexts with more positions are counted once and cached. */
const MIN_CACHED_POSITIONS = 48;
const MAX_REMEMBERED = 20_000;
const MAX_COUNTED = 16_384;

/**
 * Sorts the positions of a stream by context. `context[i]` is token i as context of later tokens and, by default, the
 * token to predict at position i. At the positions in `wrapped`, a line break inside brackets is also predicted.
 */
export function sortContexts(
  context: Int32Array,
  vocabularySize: number,
  wrapped: Int32Array,
  targetAt = (position: number) => context[position]!,
): ContextArrays {
  const length = context.length + wrapped.length;
  let sorted = new Int32Array(length);
  for (let at = 0; at < context.length; at += 1) sorted[at] = at;
  for (let at = 0; at < wrapped.length; at += 1) sorted[context.length + at] = ~wrapped[at]!;
  let other = new Int32Array(length);
  const keyAt = (entry: number, depth: number) => {
    const position = (entry < 0 ? ~entry : entry) - 1 - depth;
    return position >= 0 ? context[position]! & ID_MASK : 0;
  };
  const starts = new Int32Array(vocabularySize + 2);
  for (let depth = MAX_ORDER - 1; depth >= 0; depth -= 1) {
    starts.fill(0);
    for (let at = 0; at < length; at += 1) starts[keyAt(sorted[at]!, depth) + 1]! += 1;
    for (let id = 1; id < starts.length; id += 1) starts[id]! += starts[id - 1]!;
    for (let at = 0; at < length; at += 1) {
      const entry = sorted[at]!;
      const key = keyAt(entry, depth);
      other[starts[key]!] = entry;
      starts[key]! += 1;
    }
    [sorted, other] = [other, sorted];
  }
  return { context, targetAt, sorted };
}

/** `wrap` is the token number of the line break inside brackets. */
export function createContextIndex(arrays: ContextArrays, wrap: number): ContextIndex {
  const { context, targetAt, sorted } = arrays;
  const remembered = new Map<number, Continuations>();
  const keyAt = (place: number, depth: number) => {
    const entry = sorted[place]!;
    const position = (entry < 0 ? ~entry : entry) - 1 - depth;
    return position >= 0 ? context[position]! & ID_MASK : 0;
  };
  const nextAt = (place: number) => {
    const entry = sorted[place]!;
    return entry < 0 ? wrap : targetAt(entry);
  };
  /** The first place of each token, so that the first step of a search is a lookup. */
  const firstAt = startsOf(arrays);
  let counters = new Int32Array(firstAt.length);
  const found: number[] = [];
  /** Counts the tokens at the positions of a range. Very frequent contexts are sampled evenly. */
  const count = (low: number, high: number): Continuations => {
    const step = Math.ceil((high - low) / MAX_COUNTED);
    for (let at = low; at < high; at += step) {
      const next = nextAt(at);
      if (next >= counters.length) counters = grown(counters, next);
      if (counters[next] === 0) found.push(next);
      counters[next]! += 1;
    }
    if (found.length > 1) found.sort((a, b) => counters[b]! - counters[a]! || a - b);
    const ids = new Int32Array(found.length);
    const counts = new Int32Array(found.length);
    let total = 0;
    for (let at = 0; at < found.length; at += 1) {
      const id = found[at]!;
      ids[at] = id;
      counts[at] = counters[id]!;
      total += counters[id]!;
      counters[id] = 0;
    }
    found.length = 0;
    return { total, ids, counts };
  };
  /** The first place in [low, high) whose key is at least `token`. */
  const lowerBound = (low: number, high: number, depth: number, token: number) => {
    let from = low;
    let to = high;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (keyAt(middle, depth) < token) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return {
    length: sorted.length,
    arrays,
    narrow({ low, high }, depth, token) {
      if (depth === 0) {
        const start = firstAt[token] ?? sorted.length;
        const end = firstAt[token + 1] ?? sorted.length;
        return start === end ? null : { low: start, high: end };
      }
      const from = lowerBound(low, high, depth, token);
      if (from === high || keyAt(from, depth) !== token) return null;
      return { low: from, high: lowerBound(from, high, depth, token + 1) };
    },
    continuations({ low, high }) {
      if (high - low < MIN_CACHED_POSITIONS) return count(low, high);
      // Nested ranges may start at the same place.
      const key = low * 2 ** 26 + (high - low);
      let known = remembered.get(key);
      if (known === undefined) {
        if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
        known = count(low, high);
        remembered.set(key, known);
      }
      return known;
    },
    positionAt: (place) => (sorted[place]! < 0 ? ~sorted[place]! : sorted[place]!),
  };
}

/** For each token, the index in `sorted` of the first position that follows this token. */
function startsOf({ context, sorted }: ContextArrays): Int32Array {
  let highest = 0;
  for (let at = 0; at < context.length; at += 1) highest = Math.max(highest, context[at]! & ID_MASK);
  const starts = new Int32Array(highest + 3);
  const countBefore = (position: number) => {
    starts[(position > 0 ? context[position - 1]! & ID_MASK : 0) + 1]! += 1;
  };
  for (let at = 0; at < context.length; at += 1) countBefore(at);
  for (let at = 0; at < sorted.length; at += 1) if (sorted[at]! < 0) countBefore(~sorted[at]!);
  for (let id = 1; id < starts.length; id += 1) starts[id]! += starts[id - 1]!;
  return starts;
}

function grown(values: Int32Array<ArrayBuffer>, place: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(place * 2);
  larger.set(values);
  return larger;
}
