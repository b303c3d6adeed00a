import { sharedGrams } from "../text/ngrams.js";
import type { PooledMetric, TextMetric } from "./metric.js";

const MAX_ORDER = 4;

/**
 * bleu = BP * (p_1 p_2 p_3 p_4)^(1/4) over all cases together, 0..1 (Papineni et al. 2002). p_n is the share of the
 * predictions' n-grams that also occur in their references. BP is exp(1 - references' tokens / predictions' tokens) if
 * the predictions are shorter, else 1. Equals sacrebleu's corpus BLEU / 100 with `tokenize="none"`, on Python's tokens
 * and without smoothing: 0 if any p_n is 0. A case without a prediction adds the length of its reference.
 */
export const bleu: PooledMetric = {
  kind: "pooled",
  name: "bleu",
  description: "Corpus BLEU-4 of the predictions' tokens.",
  better: "higher",
  cut: false,
  // The counts are: for each order, the shared n-grams; for each order, the n-grams of the prediction; both lengths.
  counts: (result, { reference }) => [
    ...result.tokenGrams.map((grams, order) => sharedGrams(grams, reference.tokenGrams[order]!)),
    ...result.tokenGrams.map((_, order) => Math.max(0, result.tokens.length - order)),
    result.tokens.length,
    reference.tokens.length,
  ],
  of: (sums) => {
    const [length, wanted] = [sums[2 * MAX_ORDER]!, sums[2 * MAX_ORDER + 1]!];
    let logs = 0;
    for (let order = 0; order < MAX_ORDER; order += 1) {
      if (sums[order] === 0 || sums[MAX_ORDER + order] === 0) return 0;
      logs += Math.log(sums[order]! / sums[MAX_ORDER + order]!);
    }
    return brevityPenalty(length, wanted) * Math.exp(logs / MAX_ORDER);
  },
  single: (counts) => sentenceBleu(counts, "add-one"),
};

/**
 * BLEU of one case, 0..1, computed from its counts. It is smoothed, so that short cells get different scores. `add-one`
 * adds one to the orders above 1 (Lin and Och 2004). `exp` halves the value once more for every order without a match
 * (NIST). Equals sacrebleu's sentence BLEU / 100 with all four orders.
 */
export function sentenceBleu(counts: readonly number[], smoothing: "add-one" | "exp"): number {
  if (counts.slice(0, MAX_ORDER).every((shared) => shared === 0)) return 0;
  let logs = 0;
  let halvings = 0;
  for (let order = 0; order < MAX_ORDER; order += 1) {
    const added = smoothing === "add-one" && order > 0 ? 1 : 0;
    const [shared, all] = [counts[order]! + added, counts[MAX_ORDER + order]! + added];
    if (all === 0) return 0;
    if (shared === 0) halvings += 1;
    logs += Math.log((shared || 2 ** -halvings) / all);
  }
  return brevityPenalty(counts[2 * MAX_ORDER]!, counts[2 * MAX_ORDER + 1]!) * Math.exp(logs / MAX_ORDER);
}

export function brevityPenalty(length: number, wanted: number): number {
  if (length === 0) return 0;
  return length >= wanted ? 1 : Math.exp(1 - wanted / length);
}

/**
 * sentence-bleu-canonical = mean over cases of NLTK's `sentence_bleu` with smoothing method 3, on JuICe's canonical
 * tokens. As in the authors' program, a reference with fewer than four tokens is scored over as many orders as it has
 * tokens, each with weight 1/4. An empty list scores 0.
 */
export const sentenceBleuCanonical: TextMetric = {
  kind: "text",
  name: "sentence-bleu-canonical",
  description: "Mean sentence BLEU of JuICe's canonical tokens, as its authors compute it.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, target) =>
    smoothedBleu(bleuCanonical.counts(result, target), Math.min(MAX_ORDER, target.reference.canonical.length)),
};

/**
 * bleu-canonical = BP * (p_1 p_2 p_3 p_4)^(1/4) over all cases together, 0..1, on JuICe's canonical tokens. Equals
 * NLTK's `corpus_bleu` with smoothing method 3, which gives the k-th order without a match 1 / 2^k matches. 0 if no
 * token is shared. A case without a prediction adds the length of its reference.
 */
export const bleuCanonical: PooledMetric = {
  kind: "pooled",
  name: "bleu-canonical",
  description: "Corpus BLEU-4 of JuICe's canonical tokens, as its authors smooth it.",
  better: "higher",
  cut: false,
  // The counts are: for each order, the shared n-grams; for each order, the n-grams of the prediction; both lengths.
  counts: (result, { reference }) => [
    ...result.canonicalGrams.map((grams, order) => sharedGrams(grams, reference.canonicalGrams[order]!)),
    // As in NLTK, a text that is too short for an order counts as one n-gram of that order.
    ...result.canonicalGrams.map((_, order) => Math.max(1, result.canonical.length - order)),
    result.canonical.length,
    reference.canonical.length,
  ],
  of: (sums) => smoothedBleu(sums, MAX_ORDER),
  single: (counts) => smoothedBleu(counts, MAX_ORDER),
};

/** BLEU over the first `orders` orders, with NLTK's smoothing method 3. Each order has weight 1/4. */
function smoothedBleu(counts: readonly number[], orders: number): number {
  if (counts[0] === 0) return 0;
  let logs = 0;
  let halvings = 0;
  for (let order = 0; order < orders; order += 1) {
    const shared = counts[order]!;
    if (shared === 0) halvings += 1;
    logs += Math.log((shared || 2 ** -halvings) / counts[MAX_ORDER + order]!);
  }
  return brevityPenalty(counts[2 * MAX_ORDER]!, counts[2 * MAX_ORDER + 1]!) * Math.exp(logs / MAX_ORDER);
}
