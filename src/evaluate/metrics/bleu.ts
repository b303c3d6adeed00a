import { sharedGrams } from "../text/ngrams.js";
import type { PooledMetric } from "./metric.js";

const ORDERS = 4;

/**
 * bleu = BP * (p_1 p_2 p_3 p_4)^(1/4) over all cases together, 0..1 (Papineni et al. 2002): p_n the share of the
 * predictions' n-grams that their references hold, BP = exp(1 - references' tokens / predictions' tokens) where the
 * predictions are shorter. Tokens are Python's; no smoothing: 0 where any p_n is. sacrebleu's corpus BLEU / 100 with
 * `tokenize="none"`. A case without a prediction adds the length of its reference.
 */
export const bleu: PooledMetric = {
  kind: "pooled",
  name: "bleu",
  description: "Corpus BLEU-4 of the predictions' tokens.",
  better: "higher",
  cut: false,
  // Shared n-grams by order, the prediction's n-grams by order, both lengths.
  counts: (result, { reference }) => [
    ...result.tokenGrams.map((grams, order) => sharedGrams(grams, reference.tokenGrams[order]!)),
    ...result.tokenGrams.map((_, order) => Math.max(0, result.tokens.length - order)),
    result.tokens.length,
    reference.tokens.length,
  ],
  of: (sums) => {
    const [length, wanted] = [sums[2 * ORDERS]!, sums[2 * ORDERS + 1]!];
    let logs = 0;
    for (let order = 0; order < ORDERS; order += 1) {
      if (sums[order] === 0 || sums[ORDERS + order] === 0) return 0;
      logs += Math.log(sums[order]! / sums[ORDERS + order]!);
    }
    return brevityPenalty(length, wanted) * Math.exp(logs / ORDERS);
  },
  // Lin and Och (2004): one is added to the counts of the orders above 1, so that short cells can be told apart.
  single: (counts) => {
    const smooth = counts.map((count, at) => (at % ORDERS > 0 && at < 2 * ORDERS ? count + 1 : count));
    return bleu.of(smooth) ?? 0;
  },
};

export function brevityPenalty(length: number, wanted: number): number {
  if (length === 0) return 0;
  return length >= wanted ? 1 : Math.exp(1 - wanted / length);
}
