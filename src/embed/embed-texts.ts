import { setImmediate } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import { planBatches } from "./batches.js";
import { addWindow, type HiddenStates, type Pooling } from "./pooling.js";
import { toUnitLength } from "./unit-length.js";
import { splitWindows } from "./windows.js";

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
    // The runtime computes on this thread, from a microtask: without a pause a long call would starve everybody else.
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
