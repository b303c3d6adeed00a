import { type CellProfile, hashPair, hashText, profileCell, profileRecent } from "../../python/profile.js";
import { subwords } from "../../python/subwords.js";
import { tokenize } from "../../python/tokenize.js";
/** Inverse document frequency of a word: log of one over the share of cells that contain it. */
export type InverseFrequency = (word: string) => number;

/** The probability that a call, by its hash, is not repeated soon: 0 for `show`, nearly 1 for `train_test_split`. */
export type OnceCalls = (call: number) => number;

export interface QueryContext {
  /** The cells before, the nearest last. */
  readonly before?: readonly string[] | undefined;
  /** The Markdown above. */
  readonly markdown?: string;
}

/**
 * The groups of words: all words of the code, words that are never renamed, words of the last line, of comments, of the
 * cells before, of the Markdown.
 */
const PARTS = ["code", "fixed", "last", "remarks", "before", "markdown"] as const;
export type Part = (typeof PARTS)[number];

/** Word weights of one part, indexed by the word's number in a table, and their sum. */
interface PartWeights {
  readonly weights: Float64Array;
  readonly total: number;
}

export interface QueryProfile {
  readonly code: CellProfile;
  /** All words of the code, and the weighted words of the other parts. */
  readonly words: WordTable;
  readonly parts: Readonly<Record<Part, PartWeights>>;
  /** The name of the call whose bracket is open at the end of the code; 0 if none is. */
  readonly openCall: number;
  /** Hashes of the names that the cells before call. */
  readonly callsBefore: ReadonlySet<number>;
  readonly isOnce: OnceCalls;
  /** Characters that cells of this notebook usually have: the median of the cells before. */
  readonly usualLength: number;
  /** Pairs of adjacent words of the code. */
  readonly pairs: WordTable;
  readonly pairWeights: PartWeights;
  /** Weight of each line of code, so that `)` counts for less than a call. */
  readonly lineWeights: Float64Array;
}

type Weights = Map<number, number>;

/**
 * Limits on the context: the nearest cells, and the first characters of each. More context changes little and costs
 * time.
 */
const MAX_CELLS_BEFORE = 5;
const MAX_CHARACTERS = 4000;
const MAX_WORDS = 256;
/** The usual cell length if there is no cell before. */
const USUAL_LENGTH = 150;
/** Weight of a cell relative to the cell below it. */
const CONTEXT_DECAY = 0.6;

export function profileQuery(
  code: string,
  context: QueryContext,
  idf: InverseFrequency,
  isOnce: OnceCalls = () => 0,
): QueryProfile {
  const profile = profileCell(code);
  const { words, fixed, ends, remarks } = profile;
  const known = new Map([...new Set(subwords(code))].map((word) => [hashText(word), idf(word)]));
  const weights = Float64Array.from(words, (word) => known.get(word) ?? 0);
  const before = nearest(context.before);
  const lastStart = ends.at(-2) ?? 0;
  const found: Record<Part, Weights> = {
    code: collect(words, weights),
    fixed: collect(
      words,
      weights.map((weight, at) => weight * fixed[at]!),
    ),
    last: collect(words.subarray(lastStart), weights.subarray(lastStart)),
    remarks: collect(
      remarks,
      Float64Array.from(remarks, (word) => known.get(word) ?? 0),
    ),
    before: collectBefore(before, idf),
    markdown: collectText(context.markdown ?? "", idf),
  };
  const table = createWordTable([...words, ...PARTS.flatMap((part) => [...found[part].keys()])]);
  const pairs = collect(
    words.subarray(1).map((word, at) => hashPair(words[at]!, word)),
    weights.subarray(1).map((weight, at) => Math.sqrt(weight * weights[at]!)),
  );
  const pairTable = createWordTable(pairs.keys());
  return {
    code: profile,
    words: table,
    parts: {
      code: byNumber(found.code, table),
      fixed: byNumber(found.fixed, table),
      last: byNumber(found.last, table),
      remarks: byNumber(found.remarks, table),
      before: byNumber(found.before, table),
      markdown: byNumber(found.markdown, table),
    },
    openCall: findOpenCall(code),
    callsBefore: new Set(before.flatMap((cell) => [...profileRecent(cell).calls])),
    isOnce,
    usualLength: medianLength(before),
    pairs: pairTable,
    pairWeights: byNumber(pairs, pairTable),
    lineWeights: weighLines(ends, weights),
  };
}

/** The hash of the innermost call whose bracket is open; 0 if there is none. */
function findOpenCall(code: string): number {
  const tokens = tokenize(code.slice(-MAX_CHARACTERS));
  let closed = 0;
  for (let at = tokens.length - 1; at > 0; at -= 1) {
    const { kind, text } = tokens[at]!;
    if (kind !== "operator") continue;
    if (text === ")" || text === "]" || text === "}") closed += 1;
    if (text !== "(" && text !== "[" && text !== "{") continue;
    if (closed > 0) closed -= 1;
    else if (text === "(" && tokens[at - 1]!.kind === "name") return hashText(tokens[at - 1]!.text);
  }
  return 0;
}

function weighLines(ends: Int32Array, weights: Float64Array): Float64Array {
  return Float64Array.from(ends, (end, line) => {
    let weight = 0.1;
    for (let at = ends[line - 1] ?? 0; at < end; at += 1) weight += weights[at]!;
    return weight;
  });
}

/** The parts of the preceding cells that are read, nearest first. */
function nearest(before: readonly string[] = []): string[] {
  return before
    .slice(-MAX_CELLS_BEFORE)
    .reverse()
    .map((cell) => cell.slice(0, MAX_CHARACTERS));
}

function medianLength(cells: readonly string[]): number {
  const lengths = cells.map(({ length }) => length).sort((left, right) => left - right);
  const middle = Math.floor(lengths.length / 2);
  if (lengths.length === 0) return USUAL_LENGTH;
  return lengths.length % 2 === 1 ? lengths[middle]! : (lengths[middle - 1]! + lengths[middle]!) / 2;
}

function collectBefore(cells: readonly string[], idf: InverseFrequency): Weights {
  const hashes: number[] = [];
  const weights: number[] = [];
  let share = 1;
  for (const cell of cells) {
    for (const word of new Set(subwords(cell))) {
      hashes.push(hashText(word));
      weights.push(share * idf(word));
    }
    share *= CONTEXT_DECAY;
  }
  return collect(hashes, weights);
}

function collectText(text: string, idf: InverseFrequency): Weights {
  const words = subwords(text.slice(0, MAX_CHARACTERS));
  return collect(words.map(hashText), words.map(idf));
}

/**
 * Collects the weights of distinct words. A repeated word keeps its first weight. Above the limit, the words with the
 * largest weights are kept.
 */
function collect(hashes: ArrayLike<number>, weights: ArrayLike<number>): Weights {
  const found: Weights = new Map();
  for (let at = 0; at < hashes.length; at += 1) {
    if (weights[at]! > 0 && !found.has(hashes[at]!)) found.set(hashes[at]!, weights[at]!);
  }
  if (found.size <= MAX_WORDS) return found;
  return new Map([...found].sort(([, left], [, right]) => right - left).slice(0, MAX_WORDS));
}

/** Orders the weights by the word's number in the table. */
function byNumber(found: Weights, table: WordTable): PartWeights {
  const weights = new Float64Array(table.size);
  let total = 0;
  for (const [hash, weight] of found) {
    weights[table.find(hash)] = weight;
    total += weight;
  }
  return { weights, total };
}

/**
 * Numbers hashes from 0. A hash table with open addressing in flat arrays: most lookups miss, and a miss costs one
 * read.
 */
interface WordTable {
  readonly size: number;
  /** The number of a hash; -1 if it is not in the table. */
  find(hash: number): number;
}

export function createWordTable(hashes: Iterable<number>): WordTable {
  const distinct = [...new Set(hashes)];
  // At most a quarter full, so that a miss rarely needs a second probe.
  const mask = 2 ** Math.ceil(Math.log2(distinct.length * 4 + 4)) - 1;
  // Hashes are never 0, which marks a free slot.
  const keys = new Int32Array(mask + 1);
  const slots = new Int16Array(mask + 1);
  for (let slot = 0; slot < distinct.length; slot += 1) {
    const hash = distinct[slot]!;
    let at = hash & mask;
    while (keys[at] !== 0) at = (at + 1) & mask;
    keys[at] = hash;
    slots[at] = slot;
  }
  return {
    size: distinct.length,
    find(hash) {
      for (let at = hash & mask; ; at = (at + 1) & mask) {
        const key = keys[at];
        if (key === hash) return slots[at]!;
        if (key === 0) return -1;
      }
    },
  };
}
