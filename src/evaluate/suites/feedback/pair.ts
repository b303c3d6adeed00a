import { clusterValues } from "../../statistics/clusters.js";
import { groupBy } from "../../statistics/group-by.js";
import { type Pairing, pairClusters, requireSame } from "../../statistics/pairing.js";
import type { FeedbackResult } from "./document.js";
import { FEEDBACK_METRICS, measure } from "./score.js";

/** Pairs answers: the same ones, as they were known at two times. */
export function pairFeedback(a: FeedbackResult, b: FeedbackResult): Pairing {
  requireSame("answers", a.hits, b.hits, ({ answer }) => answer);
  const clusters = ({ hits }: FeedbackResult) =>
    clusterValues(measure(groupBy(hits, ({ answer }) => answer)).map(({ answer, values }) => ({ id: answer, values })));
  const metrics = FEEDBACK_METRICS.filter(({ name }) => name !== "ece").map(({ name }) => name);
  return {
    unit: "answer",
    metrics,
    decisive: metrics[0],
    units: pairClusters(clusters(a), clusters(b)),
    better: () => "higher",
  };
}
