import type { Figures } from "../../document.js";
import type { AskedMetric } from "../../metrics/index.js";
import type { CorpusMetric, ListMetric } from "../../metrics/metric.js";
import { summarizeLatency } from "../../runner/latency.js";
import { intervalsOf, meansBy, meansOf } from "../../statistics/means.js";
import { type CeilingQuery, ceilingOf } from "./ceiling.js";
import type { CelrecResult } from "./document.js";
import { foundByOperator } from "./found.js";
import type { QueryOutcome } from "./outcome.js";
import { relevantCells, type SeedTruth } from "./truth.js";

export interface ScoredRun {
  readonly metrics: readonly AskedMetric<ListMetric | CorpusMetric>[];
  readonly seeds: readonly SeedTruth[];
  readonly outcomes: readonly QueryOutcome[];
  /** Distinct cells in the index. */
  readonly indexSize: number;
}

/** The parts of the document that follow from the outcomes. */
export type CelrecViews = Pick<
  CelrecResult,
  "mps1" | "ci95" | "mps2" | "byLines" | "byLabel" | "byOperator" | "ceiling" | "latency" | "queries"
>;

/** From the outcomes of all queries to everything that a report shows of them. */
export function scoreRun({ metrics, seeds, outcomes, indexSize }: ScoredRun): CelrecViews {
  const lists = metrics.filter((asked): asked is AskedMetric<ListMetric> => asked.metric.kind === "list");
  const names = lists.map(({ name }) => name);
  const truths = truthsOf(seeds);
  const rows = outcomes.map((outcome) => ({ outcome, values: measure(lists, outcome, truths.get(outcome.seed)!) }));
  const queries = outcomes.map(({ group, seed }) => ({ group, relevant: truths.get(seed)!.relevant }));
  return {
    mps1: inOrder(metrics, { ...meansOf(names, rows), ...corpusFigures(metrics, outcomes, indexSize) }),
    ci95: intervalsOf(names, rows, ({ outcome }) => outcome.seed),
    mps2: meansBy(names, rows, ({ outcome }) => outcome.seed).map(({ key, queries: lines, means }) => ({
      seed: key,
      lines,
      ...means,
    })),
    byLines: meansBy(names, rows, ({ outcome }) => outcome.lines)
      .map(({ key, queries: count, means }) => ({ lines: key, queries: count, ...means }))
      .sort((a, b) => a.lines - b.lines),
    byLabel: meansBy(names, rows, ({ outcome }) => outcome.label)
      .map(({ key, queries: count, means }) => ({ label: key, queries: count, ...means }))
      .sort(byLabelName),
    byOperator: foundByOperator(seeds, outcomes),
    ceiling: ceilings(lists, queries),
    latency: summarizeLatency(outcomes.map(({ took }) => took)),
    queries: outcomes.map(toQuery),
  };
}

interface Truth {
  readonly relevant: ReadonlyMap<string, number>;
  readonly ideal: readonly number[];
}

function truthsOf(seeds: readonly SeedTruth[]): Map<string, Truth> {
  return new Map(
    seeds.map(({ seed, mutants }) => {
      const cells = relevantCells(mutants);
      const relevant = new Map(cells.map(({ id, rating }) => [id, rating]));
      return [seed, { relevant, ideal: [...relevant.values()] }];
    }),
  );
}

function measure(metrics: readonly AskedMetric<ListMetric>[], outcome: QueryOutcome, { ideal }: Truth) {
  const list = { ratings: outcome.results.map(({ rating }) => rating), ideal, cosines: outcome.cosines };
  return metrics.map(({ metric, k }) => metric.of(list, k));
}

function corpusFigures(metrics: ScoredRun["metrics"], answers: readonly QueryOutcome[], indexSize: number): Figures {
  return Object.fromEntries(
    metrics.flatMap(({ name, metric, k }) =>
      metric.kind === "corpus" ? [[name, metric.of({ indexSize, answers }, k)]] : [],
    ),
  );
}

function ceilings(metrics: readonly AskedMetric<ListMetric>[], queries: readonly CeilingQuery[]): Figures {
  return Object.fromEntries(
    metrics.flatMap(({ name, metric, k }) => (metric.ceiling === null ? [] : [[name, ceilingOf(metric, k, queries)]])),
  );
}

/** The figures in the order that the metrics were asked for. */
function inOrder(metrics: ScoredRun["metrics"], figures: Figures): Figures {
  return Object.fromEntries(metrics.map(({ name }) => [name, figures[name] ?? null]));
}

/** By name, unlabelled last. */
function byLabelName(a: { label: string | null }, b: { label: string | null }): number {
  if (a.label === null || b.label === null) return a.label === b.label ? 0 : a.label === null ? 1 : -1;
  return a.label < b.label ? -1 : a.label > b.label ? 1 : 0;
}

function toQuery({ id, seed, lines, label, results }: QueryOutcome): CelrecResult["queries"][number] {
  return {
    id,
    seed,
    lines,
    label,
    results: results.map((hit) => ({
      id: hit.id,
      seed: hit.seed,
      mutant: hit.mutant,
      rating: hit.rating,
      score: hit.score,
    })),
  };
}
