import { mergeClusters } from "../statistics/clusters.js";
import { type Pairing, pairClusters, requireSame } from "../statistics/pairing.js";
import type { PredictionResult } from "./document.js";
import { type Measure, spansOf, toCluster } from "./score.js";

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
