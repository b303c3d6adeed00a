/** `mean` over all tokens of a window, its `<s>` and `</s>` too, or the state of its `<s>` alone. */
export type Pooling = "mean" | "cls";

/** The last hidden states of a batch: row by row, token by token, `dimensions` numbers each. */
export interface HiddenStates {
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
