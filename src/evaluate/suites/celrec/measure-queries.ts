import { type AskedMetric, parseMetric, RANKING_METRICS } from "../../metrics/index.js";
import type { ListMetric } from "../../metrics/metric.js";
import type { CelrecQuery, CelrecResult } from "./document.js";
import { relevantCells } from "./truth.js";

export interface MeasuredQuery {
  readonly query: CelrecQuery;
  /** In the order of `queryMetrics`. */
  readonly values: readonly number[];
}

/** The metrics of a document that follow from the ratings in it: all of lists but diversity, which needs vectors. */
export function queryMetrics({ mps1 }: CelrecResult): AskedMetric<ListMetric>[] {
  return Object.keys(mps1)
    .map((name) => parseMetric(name, { among: RANKING_METRICS }))
    .filter((asked): asked is AskedMetric<ListMetric> => asked.metric.kind === "list")
    .filter(({ metric }) => metric.ceiling !== null);
}

/** Every query with its values. They are not stored: they follow from the ratings, and 70,000 times ten is a lot. */
export function* measureQueries(document: CelrecResult): Generator<MeasuredQuery> {
  const metrics = queryMetrics(document);
  const ideals = new Map(
    document.manifest.seeds.map(({ seed, mutants }) => [seed, relevantCells(mutants).map(({ rating }) => rating)]),
  );
  for (const query of document.queries) {
    const list = { ratings: query.results.map(({ rating }) => rating), ideal: ideals.get(query.seed) ?? [] };
    yield { query, values: metrics.map(({ metric, k }) => metric.of(list, k)!) };
  }
}

/** The metric to decide by, or the first that there is. */
export function decisiveMetric(metrics: readonly AskedMetric<ListMetric>[]): AskedMetric<ListMetric> | undefined {
  return metrics.find(({ metric }) => metric.name === "ndcg-ideal") ?? metrics[0];
}
