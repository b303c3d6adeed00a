import { type PooledMetric, scoreResults, type TextMetric, type TypedCase } from "../metrics/metric.js";
import { undefinedNames } from "../metrics/undefined-names.js";
import { bootstrapIntervals, clusterMeans, mergeClusters } from "../statistics/bootstrap.js";
import { type Pairing, pairClusters, requireSame } from "../statistics/permutation.js";
import type { TargetHit } from "../target.js";
import { type PreparedText, prepareText } from "../text/prepare.js";
import type { MeasuredSystem, PredictedCase, PredictionResult } from "./prediction-result.js";

type PredictionMetric = TextMetric | PooledMetric;

/** The scores of one case, as stored in the document. */
export type CaseScores = Pick<PredictedCase, "values" | "counts">;

/** The name of the metric for the best of the k results; the plain name is for the first. */
export const bestOf = (metric: string): string => `best-${metric}`;

/** Scores the results of a case. The first result is the prediction. */
export function scorePrediction(
  metrics: readonly PredictionMetric[],
  results: readonly PreparedText[],
  target: TypedCase,
): CaseScores {
  const values: Record<string, number | null> = {};
  const counts: Record<string, number[]> = {};
  for (const metric of metrics) {
    if (metric.kind === "text") {
      values[metric.name] = scoreResults(metric, results.slice(0, 1), target);
      values[bestOf(metric.name)] = scoreResults(metric, results, target);
      continue;
    }
    const all = (results.length === 0 ? [NOTHING] : results).map((result) => metric.counts(result, target));
    const singles = all.map((one) => metric.single(one));
    counts[metric.name] = [...all[0]!];
    counts[bestOf(metric.name)] = [...all[singles.indexOf(Math.max(...singles))]!];
  }
  return { values, counts };
}

const NOTHING = prepareText("");

/** A figure of a run: either a mean of values, or computed from summed counts. */
export interface Measure {
  readonly name: string;
  readonly better: "higher" | "lower";
  /** Computes the figure from summed counts; undefined for a mean. */
  readonly pooled?: PooledMetric;
}

export function measuresOf(metrics: readonly PredictionMetric[]): Measure[] {
  const measure = (name: string, metric: PredictionMetric): Measure => ({
    name,
    better: metric.better,
    ...(metric.kind === "pooled" && { pooled: metric }),
  });
  return [
    ...metrics.map((metric) => measure(metric.name, metric)),
    ...metrics.map((metric) => measure(bestOf(metric.name), metric)),
  ];
}

/** The figures over these cases, with intervals from resampling notebooks. */
export function measureCases(measures: readonly Measure[], cases: readonly PredictedCase[]): MeasuredSystem {
  const spans = spansOf(measures, cases);
  const clusters = mergeClusters(cases.map((each) => toCluster(measures, each)));
  // Multiplies by the number of cases, because counts are summed, not averaged.
  const derive = (means: readonly (number | null)[]) =>
    spans.map(({ measure, from, to }) => {
      if (measure.pooled === undefined) return means[from] ?? Number.NaN;
      const sums = means.slice(from, to).map((mean) => (mean ?? 0) * cases.length);
      return measure.pooled.of(sums) ?? Number.NaN;
    });
  if (cases.length === 0) return { metrics: Object.fromEntries(measures.map(({ name }) => [name, null])), ci95: {} };
  const figures = derive(clusterMeans(clusters));
  const columns = clusters[0]!.sums.length;
  // Resampling a single notebook gives no interval.
  const intervals = clusters.length < 2 ? [] : bootstrapIntervals(clusters, { derive }).slice(columns);
  return {
    metrics: Object.fromEntries(measures.map(({ name }, at) => [name, orNull(figures[at]!)])),
    ci95: Object.fromEntries(
      measures.flatMap(({ name }, at) => {
        const interval = intervals[at];
        return interval == null ? [] : [[name, [interval[0], interval[1]]]];
      }),
    ),
  };
}

/** One case as a cluster. A mean takes one column; a figure over all cases takes one column per count. */
function toCluster(measures: readonly Measure[], { notebook, values, counts }: PredictedCase) {
  const columns = measures.flatMap(({ name, pooled }): (number | null)[] =>
    pooled === undefined ? [values[name] ?? null] : counts[name]!,
  );
  return {
    id: notebook,
    sums: columns.map((value) => value ?? 0),
    counts: columns.map((value) => (value === null ? 0 : 1)),
  };
}

/** The range of columns of each figure. */
function spansOf(measures: readonly Measure[], [first]: readonly PredictedCase[]) {
  let at = 0;
  return measures.map((measure) => {
    const from = at;
    at += measure.pooled === undefined ? 1 : (first?.counts[measure.name]?.length ?? 0);
    return { measure, from, to: at };
  });
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Share of the first results that use an undefined name. There is no best-of-k figure for it. */
export const UNDEFINED_NAMES: Measure = { name: undefinedNames.name, better: undefinedNames.better };

/** Whether the insertion uses an undefined name; adapted code is used if the target gives it. */
export function scoreInsertion(hit: Pick<TargetHit, "code" | "adapted"> | undefined, preceding: readonly string[]) {
  const code = prepareText(hit?.adapted ?? hit?.code ?? "");
  const target = { rest: NOTHING, reference: NOTHING, above: { prefix: "", preceding } };
  return { [undefinedNames.name]: undefinedNames.of(code, target) };
}

/** Scores lists of codes against a real cell. Each code is parsed once, because popular cells are returned often. */
export function createScorer(
  metrics: readonly PredictionMetric[],
): (codes: readonly string[], reference: string) => CaseScores {
  const prepared = new Map<string, PreparedText>();
  const prepare = (code: string) => {
    const known = prepared.get(code) ?? prepareText(code);
    prepared.set(code, known);
    return known;
  };
  return (codes, reference) => {
    const wanted = prepare(reference);
    return scorePrediction(metrics, codes.map(prepare), { rest: wanted, reference: wanted });
  };
}

/** Pairs the notebooks of two runs over the same cases. */
export function pairPredictions(
  a: PredictionResult,
  b: PredictionResult,
  measures: readonly Measure[],
  decisive: string,
): Pairing {
  requireSame("cases", a.cases, b.cases, ({ id }) => id);
  const shared = measures.filter(({ name }) => name in a.metrics && name in b.metrics);
  const clusters = ({ cases }: PredictionResult) => mergeClusters(cases.map((each) => toCluster(shared, each)));
  const lower = new Set(shared.filter(({ better }) => better === "lower").map(({ name }) => name));
  return {
    unit: "notebook",
    metrics: shared.map(({ name }) => name),
    decisive,
    units: pairClusters(clusters(a), clusters(b)),
    spans: spansOf(shared, a.cases).map(({ measure, from, to }) => ({
      from,
      to,
      ...(measure.pooled && { of: measure.pooled.of }),
    })),
    better: (metric) => (lower.has(metric) ? "lower" : "higher"),
  };
}
