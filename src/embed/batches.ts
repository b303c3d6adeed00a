export interface BatchLimits {
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
