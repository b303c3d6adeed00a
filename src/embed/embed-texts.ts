import { setImmediate } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import { toUnitLength } from "./embedder.js";

export interface Tokenizer {
  /** The ids that open and close every window: RoBERTa's `<s>` and `</s>`. */
  readonly start: number;
  readonly end: number;
  /** The ids of the text itself, without start and end; never cut. */
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

/** Two full windows of CodeBERT: more rows at once are hardly faster on a CPU and block the event loop for longer. */
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
    // The runtime computes on this thread, from a microtask: without a pause a long call would block all other work.
    await setImmediate();
  }
  return texts.map((_, position) => {
    const sum = sums.get(position);
    return sum === undefined ? null : finish(sum);
  });
}

function finish(sum: Float64Array): Float32Array {
  const vector = toUnitLength(sum);
  if (vector !== null) return vector;
  throw new RecommenderError("MODEL_UNAVAILABLE", "The model computes no numbers (NaN or zeros); convert it again.");
}

interface BatchLimits {
  readonly rows: number;
  /** Rows times the longest row, so padding counts; a row that is longer than this is a batch of its own. */
  readonly tokens: number;
}

/** Groups rows of similar length, longest first, so that little padding is computed. Returns positions in `lengths`. */
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

/** `mean` over all tokens of a window, its `<s>` and `</s>` too, or the state of its `<s>` alone. */
export type Pooling = "mean" | "cls";

/** The last hidden states of a batch: row by row, token by token, `dimensions` numbers each. */
interface HiddenStates {
  readonly data: Float32Array;
  readonly tokensPerRow: number;
}

/** Adds the vector of one window to `sum`, weighted by its token count: the mean of the windows up to its length. */
export function addWindow(sum: Float64Array, states: HiddenStates, row: number, count: number, pooling: Pooling): void {
  const dimensions = sum.length;
  const start = row * states.tokensPerRow * dimensions;
  // The weighted mean of a window is the sum of its tokens, so only CLS needs the weight spelt out.
  const [tokens, weight] = pooling === "mean" ? [count, 1] : [1, count];
  for (let token = 0; token < tokens; token++) {
    const offset = start + token * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i]! += states.data[offset + i]! * weight;
  }
}
