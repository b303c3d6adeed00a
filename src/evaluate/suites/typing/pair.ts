import { betterOf } from "../../metrics/index.js";
import { clusterValues } from "../../statistics/clusters.js";
import { type Pairing, pairClusters, requireSame } from "../../statistics/pairing.js";
import type { TypingResult } from "./document.js";
import { caseValues, typingMetrics } from "./score.js";

/** Pairs the notebooks of two runs over the same cases. */
export function pairTyping(a: TypingResult, b: TypingResult): Pairing {
  requireSame("cases", a.cases, b.cases, ({ id }) => id);
  const clusters = ({ cases }: TypingResult) =>
    clusterValues(cases.map((each) => ({ id: each.notebook, values: caseValues(each) })));
  const metrics = typingMetrics(a.k).map(({ name }) => name);
  return {
    unit: "notebook",
    metrics,
    decisive: metrics[0],
    units: pairClusters(clusters(a), clusters(b)),
    better: betterOf,
  };
}
