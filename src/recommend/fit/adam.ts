const MEAN_DECAY = 0.9;
const SQUARE_DECAY = 0.999;

/**
 * Minimises by Adam (Kingma and Ba, 2015). `gradient` writes the slope at `values` into its second argument; `hold` may put
 * values back into their bounds after a step. The rate falls evenly to almost nothing.
 */
export function minimize(
  values: Float64Array,
  gradient: (values: Float64Array, into: Float64Array) => void,
  hold: (values: Float64Array) => void,
  { steps, rate }: { readonly steps: number; readonly rate: number },
): Float64Array {
  const found = Float64Array.from(values);
  const slope = new Float64Array(found.length);
  const mean = new Float64Array(found.length);
  const square = new Float64Array(found.length);
  for (let step = 1; step <= steps; step += 1) {
    slope.fill(0);
    gradient(found, slope);
    const size = rate * (1 - (step - 1) / steps) + rate / 50;
    for (let at = 0; at < found.length; at += 1) {
      mean[at] = MEAN_DECAY * mean[at]! + (1 - MEAN_DECAY) * slope[at]!;
      square[at] = SQUARE_DECAY * square[at]! + (1 - SQUARE_DECAY) * slope[at]! ** 2;
      const direction = mean[at]! / (1 - MEAN_DECAY ** step);
      const scale = Math.sqrt(square[at]! / (1 - SQUARE_DECAY ** step)) + 1e-8;
      found[at]! -= (size * direction) / scale;
    }
    hold(found);
  }
  return found;
}
