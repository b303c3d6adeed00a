import { type Pairing, pairClusters, refusePairing, requireSame } from "../../statistics/pairing.js";
import type { LabelsResult } from "./document.js";
import { labelMetrics } from "./metrics.js";
import { clusterCells, labelColumns } from "./score.js";

/** Pairs the notebooks of two runs over the same labelled cells. */
export function pairLabelled(a: LabelsResult, b: LabelsResult): Pairing {
  requireSame(
    "cells",
    a.cells,
    b.cells,
    ({ id, truth }) => `${id}, labelled ${truth.toSorted().join(" and ") || "nothing"}`,
  );
  if (a.manifest.inputs.truth !== b.manifest.inputs.truth) throw refusePairing("the labelled cells were other texts");
  const labels = [...new Set([a, b].flatMap(({ byLabel }) => byLabel.map(({ label }) => label)))];
  // Of a single label F1 says it all, and every further comparison makes Holm's correction stricter.
  const chosen = labelColumns(labels).map((column, at) => ({ column, at }));
  const columns = chosen.filter(({ column }) => !column.includes(" ") || column.startsWith("f1 "));
  const clusters = ({ cells }: LabelsResult) =>
    clusterCells(cells, labels).map(({ id, sums, counts }) => ({
      id,
      sums: columns.map(({ at }) => sums[at]!),
      counts: columns.map(({ at }) => counts[at]!),
    }));
  const metrics = columns.map(({ column }) => column);
  const lower = labelMetrics({ partial: true }).filter(({ better }) => better === "lower");
  const better = (metric: string) => (lower.some(({ name }) => name === metric) ? "lower" : "higher");
  return {
    unit: "notebook",
    metrics,
    decisive: "micro-f1",
    units: pairClusters(clusters(a), clusters(b)),
    ratios: true,
    better,
  };
}
