import { dcg, gain, isRelevant, type ListMetric, PAPER_SCALE } from "./metric.js";

/**
 * ndcg@k = DCG(list) / DCG(the same cells in their best order), gain 2^rating - 1, discount log2(i + 1): the paper's
 * printed formula. It knows no relevant set: every cell has its rating, unrelated ones 1, so a list without a single
 * hit is in its best order and scores 1. An empty list scores 0. Ranks are those of the list: tied scores keep the
 * target's order.
 */
export const ndcg: ListMetric = {
  kind: "list",
  name: "ndcg",
  description:
    "nDCG normalised by the returned list's own best order, as printed in the paper; a list without a hit scores 1.",
  better: "higher",
  cut: true,
  // A list of unrelated cells scores 1 for any group of queries.
  ceiling: 1,
  of: ({ ratings }, k) => {
    const list = ratings.slice(0, k);
    if (list.length === 0) return 0;
    return dcg(list.map(gain)) / dcg(list.toSorted((a, b) => b - a).map(gain));
  },
};

/**
 * ndcg-ideal@k = DCG(list) / DCG(ideal list), gain 2^rating - 1 of relevant cells (rating >= 3) and 0 of others,
 * discount log2(i + 1); the ideal list is the k best relevant cells. The one to decide by. An empty list scores 0, and
 * so does a query without a relevant cell. Ranks are those of the list: tied scores keep the target's order.
 */
export const ndcgIdeal: ListMetric = {
  kind: "list",
  name: "ndcg-ideal",
  description: "Gain of the list over that of the ideal list, unrelated cells at gain 0: the one to decide by.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: ({ ratings, ideal, scale }, k) => {
    if (ideal.length === 0) return 0;
    const gains = ratings.slice(0, k).map((rating) => (isRelevant(rating, scale) ? gain(rating) : 0));
    return dcg(gains) / dcg(ideal.slice(0, k).map(gain));
  },
};

/**
 * ndcg-published@k = DCG(list) / DCG(ideal list), gain 2^rating - 1 with unrelated cells (rating 1) at gain 1, discount
 * log2(i + 1). The ideal list is the k best relevant cells, filled up with unrelated ones. It is the only form that gives
 * the values of the paper's Table 2. An empty list scores 0, and so does a query without a relevant cell. Ranks are
 * those of the list: tied scores keep the target's order.
 */
export const ndcgPublished: ListMetric = {
  kind: "list",
  name: "ndcg-published",
  description: "Gain of the list over that of the ideal list, unrelated cells at gain 1: the paper's values.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: ({ ratings, ideal, scale = PAPER_SCALE }, k) => {
    if (ideal.length === 0) return 0;
    const best = Array.from({ length: k }, (_, at) => gain(ideal[at] ?? scale.unrelated));
    return dcg(ratings.slice(0, k).map(gain)) / dcg(best);
  },
};
