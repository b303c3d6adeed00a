import { dcg, gain, isRelevant, type ListMetric, PAPER_SCALE } from "./metric.js";

/**
 * ndcg@k = DCG(list) / DCG(the same cells in their best order), with gain 2^rating - 1 and discount log2(i + 1): the
 * formula printed in the paper. All cells count, unrelated ones with rating 1. So a list without any hit is in its best
 * order and scores 1. An empty list scores 0. Tied scores keep the target's order.
 */
export const ndcg: ListMetric = {
  kind: "list",
  name: "ndcg",
  description:
    "DCG of the list over that of its own best order, as printed in the paper; a list without a hit scores 1.",
  better: "higher",
  cut: true,
  // A list of unrelated cells scores 1 for every query.
  ceiling: 1,
  of: ({ ratings }, k) => {
    const list = ratings.slice(0, k);
    if (list.length === 0) return 0;
    return dcg(list.map(gain)) / dcg(list.toSorted((a, b) => b - a).map(gain));
  },
};

/**
 * ndcg-ideal@k = DCG(list) / DCG(ideal list), with gain 2^rating - 1 for relevant cells (rating >= 3), gain 0 for
 * others, and discount log2(i + 1). The ideal list has the k best relevant cells. This is the main metric. An empty
 * list scores 0, and so does a query without a relevant cell. Tied scores keep the target's order.
 */
export const ndcgIdeal: ListMetric = {
  kind: "list",
  name: "ndcg-ideal",
  description: "DCG of the list over that of the ideal list; unrelated cells have gain 0. The main metric.",
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
 * ndcg-published@k = DCG(list) / DCG(ideal list), with gain 2^rating - 1 (1 for unrelated cells, which have rating 1)
 * and discount log2(i + 1). The ideal list has the k best relevant cells, filled up with unrelated ones. Only this form
 * gives the values of the paper's Table 2. An empty list scores 0, and so does a query without a relevant cell. Tied
 * scores keep the target's order.
 */
export const ndcgPublished: ListMetric = {
  kind: "list",
  name: "ndcg-published",
  description: "DCG of the list over that of the ideal list; unrelated cells have gain 1. Gives the paper's values.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: ({ ratings, ideal, scale = PAPER_SCALE }, k) => {
    if (ideal.length === 0) return 0;
    const best = Array.from({ length: k }, (_, at) => gain(ideal[at] ?? scale.unrelated));
    return dcg(ratings.slice(0, k).map(gain)) / dcg(best);
  },
};
