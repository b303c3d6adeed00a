import { RecommenderError } from "../errors.js";
import { labelMetrics } from "./label-metrics.js";
import { parseMetric } from "./metrics/index.js";
import type { ResultDocument } from "./result.js";
import { type CelrecResult, figureIn } from "./results/celrec.js";
import type { LabelsResult } from "./results/labels.js";
import type { TypingResult } from "./results/typing.js";
import { clusterCells, labelColumns } from "./score-labels.js";
import { type Cluster, clusterValues } from "./statistics/clusters.js";

/** The same seed, or notebook, in both results. */
export interface Paired {
  readonly id: string;
  readonly a: Cluster;
  readonly b: Cluster;
}

export interface Pairing {
  readonly unit: "seed" | "notebook";
  readonly metrics: readonly string[];
  readonly units: readonly Paired[];
  /** Set where a count is no number of questions, but depends on the answers, as the denominator of F1 does. */
  readonly ratios?: true;
  readonly better: (metric: string) => "higher" | "lower";
}

/** Pairs what both results measured on the same questions; INPUT_INVALID where the questions were not the same. */
export function pairUnits(a: ResultDocument, b: ResultDocument): Pairing {
  if (a.suite === "celrec" && b.suite === "celrec") return pairSeeds(a, b);
  if (a.suite === "typing" && b.suite === "typing") return pairNotebooks(a, b);
  if (a.suite === "labels" && b.suite === "labels") return pairLabelled(a, b);
  throw refuse(`one is a result of the suite ${a.suite}, the other of ${b.suite}`);
}

function pairSeeds(a: CelrecResult, b: CelrecResult): Pairing {
  requireSame("seeds", a.manifest.seeds, b.manifest.seeds, ({ seed }) => seed);
  const others = new Map(b.manifest.seeds.map((seed) => [seed.seed, seed]));
  const cells = (seed: CelrecResult["manifest"]["seeds"][number]) => seed.mutants.map(({ id }) => id).join();
  for (const seed of a.manifest.seeds) {
    const other = others.get(seed.seed)!;
    if (seed.hash !== other.hash) throw refuse(`the seed ${seed.seed} was another text`);
    if (cells(seed) !== cells(other))
      throw refuse(`the seed ${seed.seed} had other mutants; were the mutators the same?`);
  }
  const metrics = Object.keys(a.ci95).filter((metric) => metric in b.ci95);
  const clusters = ({ mps2 }: CelrecResult) =>
    mps2.map((row): Cluster => {
      const means = metrics.map((metric) => figureIn(row, metric));
      return {
        id: row.seed,
        sums: means.map((mean) => (mean ?? 0) * row.lines),
        counts: means.map((mean) => (mean === null ? 0 : row.lines)),
      };
    });
  return { unit: "seed", metrics, units: pair(clusters(a), clusters(b)), better: betterOf };
}

function pairNotebooks(a: TypingResult, b: TypingResult): Pairing {
  requireSame("cases", a.cases, b.cases, ({ id }) => id);
  const clusters = ({ cases }: TypingResult) =>
    clusterValues(
      cases.map(({ notebook, chrf, callRecall, callF1, length }) => ({
        id: notebook,
        values: [chrf, callRecall, callF1, length],
      })),
    );
  const metrics = ["chrf", "call-recall", "call-f1", "length"];
  return { unit: "notebook", metrics, units: pair(clusters(a), clusters(b)), better: betterOf };
}

function pairLabelled(a: LabelsResult, b: LabelsResult): Pairing {
  requireSame(
    "cells",
    a.cells,
    b.cells,
    ({ id, truth }) => `${id}, labelled ${truth.toSorted().join(" and ") || "nothing"}`,
  );
  if (a.manifest.inputs.truth !== b.manifest.inputs.truth) throw refuse("the labelled cells were other texts");
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
  return { unit: "notebook", metrics, units: pair(clusters(a), clusters(b)), ratios: true, better };
}

const betterOf = (metric: string): "higher" | "lower" => parseMetric(metric).metric.better;

function pair(a: readonly Cluster[], b: readonly Cluster[]): Paired[] {
  const others = new Map(b.map((cluster) => [cluster.id, cluster]));
  return a.flatMap((cluster) => {
    const other = others.get(cluster.id);
    return other === undefined ? [] : [{ id: cluster.id, a: cluster, b: other }];
  });
}

function requireSame<T>(what: string, a: readonly T[], b: readonly T[], idOf: (one: T) => string): void {
  const [inA, inB] = [new Set(a.map(idOf)), new Set(b.map(idOf))];
  const onlyA = [...inA].filter((id) => !inB.has(id));
  const onlyB = [...inB].filter((id) => !inA.has(id));
  if (onlyA.length + onlyB.length === 0) return;
  const example = onlyA[0] ?? onlyB[0];
  throw refuse(
    `they have other ${what}: ${onlyA.length} only in the first, ${onlyB.length} only in the second, for example ${example}`,
  );
}

const refuse = (why: string): RecommenderError =>
  new RecommenderError(
    "INPUT_INVALID",
    `the two results cannot be compared: ${why}. Compare runs of the same questions.`,
  );
