import { setImmediate } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import { toUnitLength } from "./embedder.js";

export interface Tokenizer {
  /** The ids that open and close every window: RoBERTa's `<s>` and `</s>`. */
  readonly start: number;
  readonly end: number;
  /** The token ids of the text, not truncated, and without `start` and `end`. */
  encode(text: string): number[];
}

export interface Encoder {
  readonly tokenizer: Tokenizer;
  readonly dimensions: number;
  /** Tokens that fit into one window, start and end included. */
  readonly window: number;
  readonly rowsPerBatch: number;
  /** The last hidden states of rows of ids; shorter rows are padded, and the padding is masked. */
  run(rows: readonly (readonly number[])[]): Promise<HiddenStates>;
}

/**
 * Maximum tokens per batch, two full windows of CodeBERT. Larger batches are hardly faster on a CPU and block the event
 * loop for longer.
 */
const TOKENS_PER_BATCH = 1024;

/** One vector per text, in order; null for a text without tokens. */
export async function embedTexts(
  texts: readonly string[],
  pooling: Pooling,
  { tokenizer, dimensions, window, rowsPerBatch, run }: Encoder,
  signal?: AbortSignal,
): Promise<(Float32Array | null)[]> {
  const windows = texts.flatMap((text, position) =>
    splitWindows(tokenizer.encode(text), window - 2).map((ids) => ({
      position,
      ids: [tokenizer.start, ...ids, tokenizer.end],
    })),
  );
  const sums = new Map(windows.map(({ position }) => [position, new Float64Array(dimensions)]));
  const lengths = windows.map(({ ids }) => ids.length);
  for (const batch of planBatches(lengths, { rows: rowsPerBatch, tokens: TOKENS_PER_BATCH })) {
    signal?.throwIfAborted();
    const rows = batch.map((index) => windows[index]!);
    const states = await run(rows.map(({ ids }) => ids));
    rows.forEach(({ position, ids }, row) => {
      addWindow(sums.get(position)!, states, row, ids.length, pooling);
    });
    // Yields, because the runtime computes on this thread in a microtask, and a long call would block all other work.
    await setImmediate();
  }
  return texts.map((_, position) => {
    const sum = sums.get(position);
    return sum === undefined ? null : toVector(sum);
  });
}

function toVector(sum: Float64Array): Float32Array {
  const vector = toUnitLength(sum);
  if (vector !== null) return vector;
  throw new RecommenderError(
    "MODEL_UNAVAILABLE",
    "The model's output is unusable (NaN or only zeros); convert the model again.",
  );
}

interface BatchLimits {
  readonly rows: number;
  /** Maximum size of a batch: rows times the longest row. A longer row is a batch of its own. */
  readonly tokens: number;
}

/** Groups rows of similar length, longest first, which reduces padding. Returns positions in `lengths`. */
export function planBatches(lengths: readonly number[], limits: BatchLimits): number[][] {
  const positions = lengths.map((_, position) => position).sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const position of positions) {
    const isFull = batch.length >= limits.rows || (batch.length + 1) * lengths[batch[0]!]! > limits.tokens;
    if (batch.length > 0 && isFull) {
      batches.push(batch);
      batch = [];
    }
    batch.push(position);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** Cuts the token ids of a text into consecutive windows of at most `size`; a text without tokens has none. */
export function splitWindows(ids: readonly number[], size: number): number[][] {
  const windows: number[][] = [];
  for (let start = 0; start < ids.length; start += size) windows.push(ids.slice(start, start + size));
  return windows;
}

/** `mean`: over all tokens of a window including `<s>` and `</s>`. `cls`: only the state of `<s>`. */
export type Pooling = "mean" | "cls";

/** The last hidden states of a batch: row by row, token by token, `dimensions` numbers each. */
interface HiddenStates {
  readonly data: Float32Array;
  readonly tokensPerRow: number;
}

/**
 * Adds the vector of one window to `sum`, weighted by its token count. After normalisation, this is the weighted mean
 * of the windows.
 */
export function addWindow(sum: Float64Array, states: HiddenStates, row: number, count: number, pooling: Pooling): void {
  const dimensions = sum.length;
  const start = row * states.tokensPerRow * dimensions;
  // A mean weighted by the token count is the sum over the tokens, so only `cls` needs an explicit weight.
  const [tokens, weight] = pooling === "mean" ? [count, 1] : [1, count];
  for (let token = 0; token < tokens; token++) {
    const offset = start + token * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i]! += states.data[offset + i]! * weight;
  }
}
