import { type AskedMetric, betterOf, parseMetric, RANKING_METRICS } from "../../metrics/index.js";
import { type CorpusMetric, isRelevant, type ListMetric, PAPER_SCALE, type RatingScale } from "../../metrics/metric.js";
import type { Figures } from "../../result-document.js";
import { summarizeLatency } from "../../runner/ask-target.js";
import { type Cluster, groupBy, intervalsOf, meansBy, meansOf } from "../../statistics/bootstrap.js";
import { pearson, spearman } from "../../statistics/correlation.js";
import { type Pairing, pairClusters, refusePairing, requireSame } from "../../statistics/permutation.js";
import { type CeilingQuery, ceilingOf } from "./ceiling.js";
import { type CelrecQuery, type CelrecResult, type Confusion, figureIn, type QueryOutcome } from "./celrec-result.js";
import { distinctMutants, relevantCells, type SeedTruth } from "./judge.js";
import { scaleOf } from "./protocol.js";

interface ScoredRun {
  readonly metrics: readonly AskedMetric<ListMetric | CorpusMetric>[];
  readonly seeds: readonly SeedTruth[];
  readonly outcomes: readonly QueryOutcome[];
  /** Distinct cells in the index. */
  readonly indexSize: number;
  /** The rating scale; the paper's by default. */
  readonly scale?: RatingScale;
}

/** The parts of the document computed from the outcomes. */
type CelrecViews = Pick<
  CelrecResult,
  | "mps1"
  | "ci95"
  | "mps2"
  | "confusion"
  | "sloc"
  | "byLines"
  | "byLabel"
  | "byOperator"
  | "ceiling"
  | "latency"
  | "queries"
>;

/** Computes all figures of a report from the outcomes of the queries. */
export function scoreRun({ metrics, seeds, outcomes, indexSize, scale = PAPER_SCALE }: ScoredRun): CelrecViews {
  const lists = metrics.filter((asked): asked is AskedMetric<ListMetric> => asked.metric.kind === "list");
  const names = lists.map(({ name }) => name);
  const truths = truthsOf(seeds, scale);
  const rows = outcomes.map((outcome) => ({
    outcome,
    values: measure(lists, outcome, truths.get(outcome.seed)!, scale),
    confusion: confusionOf(outcome, truths.get(outcome.seed)!, indexSize, scale),
  }));
  const queries = outcomes.map(({ group, seed }) => ({ group, relevant: truths.get(seed)!.relevant }));
  return {
    mps1: inMetricOrder(metrics, { ...meansOf(names, rows), ...corpusFigures(metrics, outcomes, indexSize, scale) }),
    ci95: intervalsOf(names, rows, ({ outcome }) => outcome.seed),
    mps2: meansBy(names, rows, ({ outcome }) => outcome.seed)
      .map(({ key, queries: lines, means }) => ({ seed: key, lines, ...means }))
      .sort(bestSeedFirst),
    confusion: rows.reduce((sum, { confusion }) => addConfusion(sum, confusion), NO_CONFUSION),
    sloc: names.map((metric, at) => correlate(metric, at, rows)),
    byLines: meansBy(names, rows, ({ outcome }) => outcome.lines)
      .map(({ key, queries: count, means }) => ({ lines: key, queries: count, ...means }))
      .sort((a, b) => a.lines - b.lines),
    byLabel: meansBy(names, rows, ({ outcome }) => outcome.label)
      .map(({ key, queries: count, means }) => ({ label: key, queries: count, ...means }))
      .sort(byLabelName),
    byOperator: foundByOperator(seeds, outcomes, scale),
    ceiling: ceilings(lists, queries, scale),
    latency: summarizeLatency(outcomes.map(({ took }) => took)),
    queries: rows.map(({ outcome, confusion }) => ({ ...toQuery(outcome), confusion })),
  };
}

interface Truth {
  readonly relevant: ReadonlyMap<string, number>;
  readonly ideal: readonly number[];
}

function truthsOf(seeds: readonly SeedTruth[], scale: RatingScale): Map<string, Truth> {
  return new Map(
    seeds.map(({ seed, mutants }) => {
      const cells = relevantCells(mutants, scale);
      const relevant = new Map(cells.map(({ id, rating }) => [id, rating]));
      return [seed, { relevant, ideal: [...relevant.values()] }];
    }),
  );
}

function measure(
  metrics: readonly AskedMetric<ListMetric>[],
  outcome: QueryOutcome,
  { ideal }: Truth,
  scale: RatingScale,
) {
  const list = { ratings: outcome.results.map(({ rating }) => rating), ideal, cosines: outcome.cosines, scale };
  return metrics.map(({ metric, k }) => metric.of(list, k));
}

const NO_CONFUSION: Confusion = { tp: 0, fp: 0, fn: 0, tn: 0 };

/** A rank without a cell counts neither as right nor as wrong. */
function confusionOf({ results }: QueryOutcome, { relevant }: Truth, indexSize: number, scale: RatingScale): Confusion {
  const tp = results.filter(({ rating }) => isRelevant(rating, scale)).length;
  const fp = results.length - tp;
  return { tp, fp, fn: relevant.size - tp, tn: Math.max(0, indexSize - relevant.size - fp) };
}

function addConfusion(sum: Confusion, more: Confusion): Confusion {
  return { tp: sum.tp + more.tp, fp: sum.fp + more.fp, fn: sum.fn + more.fn, tn: sum.tn + more.tn };
}

/** The columns of the paper's Table 2, in its order. */
const TABLE_2 = ["precision@", "ap@", "ndcg-published@"];

type SeedRow = CelrecResult["mps2"][number];

function bestSeedFirst(a: SeedRow, b: SeedRow): number {
  const metrics = TABLE_2.flatMap((start) => Object.keys(a).find((name) => name.startsWith(start)) ?? []);
  for (const metric of metrics) {
    const difference = (figureIn(b, metric) ?? 0) - (figureIn(a, metric) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.seed < b.seed ? -1 : 1;
}

function correlate(
  metric: string,
  at: number,
  rows: readonly { readonly outcome: QueryOutcome; readonly values: readonly (number | null)[] }[],
): NonNullable<CelrecResult["sloc"]>[number] {
  const pairs = rows.flatMap(({ outcome: { seed, lines }, values }) => {
    const y = values[at];
    return y == null ? [] : [{ cluster: seed, x: lines, y }];
  });
  const toJson = ({ value, interval }: ReturnType<typeof pearson>) => ({
    value,
    interval: interval && ([interval[0], interval[1]] as [number, number]),
  });
  return { metric, pearson: toJson(pearson(pairs)), spearman: toJson(spearman(pairs)) };
}

function corpusFigures(
  metrics: ScoredRun["metrics"],
  answers: readonly QueryOutcome[],
  indexSize: number,
  scale: RatingScale,
): Figures {
  return Object.fromEntries(
    metrics.flatMap(({ name, metric, k }) =>
      metric.kind === "corpus" ? [[name, metric.of({ indexSize, answers, scale }, k)]] : [],
    ),
  );
}

function ceilings(
  metrics: readonly AskedMetric<ListMetric>[],
  queries: readonly CeilingQuery[],
  scale: RatingScale,
): Figures {
  return Object.fromEntries(
    metrics.flatMap(({ name, metric, k }) =>
      metric.ceiling === null ? [] : [[name, ceilingOf(metric, k, queries, scale)]],
    ),
  );
}

/** The figures in the order of the requested metrics. */
function inMetricOrder(metrics: ScoredRun["metrics"], figures: Figures): Figures {
  return Object.fromEntries(metrics.map(({ name }) => [name, figures[name] ?? null]));
}

/** Sorts by name, unlabelled last. */
function byLabelName(a: { label: string | null }, b: { label: string | null }): number {
  if (a.label === null || b.label === null) return a.label === b.label ? 0 : a.label === null ? 1 : -1;
  return a.label < b.label ? -1 : a.label > b.label ? 1 : 0;
}

function toQuery({ id, seed, lines, label, results }: QueryOutcome): CelrecQuery {
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

type OperatorRow = CelrecResult["byOperator"][number];

/** Whether a query found a mutant: its rank, or 0 if it was not found. */
interface QueryRank {
  readonly label: string | null;
  readonly rank: number;
}

/** The mutants of an operator, one for each seed that it changed. */
interface OperatorMutants {
  readonly operator: string;
  readonly mutant: number | null;
  readonly rating: number;
  readonly cells: ReadonlyMap<string, string>;
}

/**
 * The found mutants: one row per operator in the order of application, then the hard negatives. If two mutants of a
 * seed are equal, only the better rated one counts.
 */
function foundByOperator(
  seeds: readonly SeedTruth[],
  outcomes: readonly QueryOutcome[],
  { unrelated }: RatingScale = PAPER_SCALE,
): OperatorRow[] {
  return groupByOperator(seeds, unrelated).map((product) => toRow(product, ranksOf(product, outcomes)));
}

function groupByOperator(seeds: readonly SeedTruth[], unrelated: number): OperatorMutants[] {
  const madeCells = seeds.flatMap(({ seed, mutants, hardNegatives = [] }) => [
    ...distinctMutants(mutants).map((one) => ({ ...one, seed })),
    ...hardNegatives.map((one) => ({ ...one, seed, mutant: null, rating: unrelated })),
  ]);
  return [...groupBy(madeCells, ({ operator, mutant }) => `${mutant ?? ""} ${operator}`).values()]
    .map((group) => ({
      operator: group[0]!.operator,
      mutant: group[0]!.mutant,
      rating: group[0]!.rating,
      cells: new Map(group.map(({ seed, id }) => [seed, id])),
    }))
    .sort((a, b) => (a.mutant ?? Number.POSITIVE_INFINITY) - (b.mutant ?? Number.POSITIVE_INFINITY) || 0);
}

function ranksOf({ cells }: OperatorMutants, outcomes: readonly QueryOutcome[]): QueryRank[] {
  return outcomes.flatMap(({ seed, label, results }) => {
    const wanted = cells.get(seed);
    return wanted === undefined ? [] : [{ label, rank: results.findIndex(({ id }) => id === wanted) + 1 }];
  });
}

function toRow({ operator, mutant, rating, cells }: OperatorMutants, chances: readonly QueryRank[]): OperatorRow {
  const found = chances.filter(({ rank }) => rank > 0);
  const ranks = found.reduce((sum, { rank }) => sum + rank, 0);
  return {
    operator,
    mutant,
    rating,
    cells: cells.size,
    ...share(chances),
    meanRank: found.length === 0 ? null : ranks / found.length,
    byLabel: [...groupBy(chances, ({ label }) => label)].map(([label, group]) => ({ label, ...share(group) })),
  };
}

function share(chances: readonly QueryRank[]): { queries: number; found: number } {
  const found = chances.filter(({ rank }) => rank > 0).length;
  return { queries: chances.length, found: chances.length === 0 ? 0 : found / chances.length };
}

export interface MeasuredQuery {
  readonly query: CelrecQuery;
  /** In the order of `queryMetrics`. */
  readonly values: readonly number[];
}

/**
 * The metrics that can be computed from the ratings in a document: all list metrics except diversity, which needs
 * vectors.
 */
export function queryMetrics({ mps1: means }: CelrecResult): AskedMetric<ListMetric>[] {
  return Object.keys(means)
    .map((name) => parseMetric(name, { among: RANKING_METRICS }))
    .filter((asked): asked is AskedMetric<ListMetric> => asked.metric.kind === "list")
    .filter(({ metric }) => metric.ceiling !== null);
}

/**
 * Every query with its metric values. They are computed from the ratings instead of stored, because 70,000 queries have
 * many values.
 */
export function* measureQueries(document: CelrecResult): Generator<MeasuredQuery> {
  const metrics = queryMetrics(document);
  const scale = documentScale(document);
  const ideals = new Map(
    document.manifest.seeds.map(({ seed, mutants }) => [
      seed,
      relevantCells(mutants, scale).map(({ rating }) => rating),
    ]),
  );
  for (const query of document.queries) {
    const list = { ratings: query.results.map(({ rating }) => rating), ideal: ideals.get(query.seed) ?? [], scale };
    yield { query, values: metrics.map(({ metric, k }) => metric.of(list, k)!) };
  }
}

export const documentScale = ({ protocol }: Pick<CelrecResult, "protocol">): RatingScale =>
  protocol === undefined ? PAPER_SCALE : scaleOf(protocol);

/** The main metric, or the first if it was not measured. */
export function decisiveMetric(metrics: readonly AskedMetric<ListMetric>[]): AskedMetric<ListMetric> | undefined {
  return metrics.find(({ metric }) => metric.name === "ndcg-ideal") ?? metrics[0];
}

type SeedEntry = CelrecResult["manifest"]["seeds"][number];

/** Pairs the seeds of two runs, which must have equal texts and mutants. */
export function pairSeeds(a: CelrecResult, b: CelrecResult): Pairing {
  requireSame("seeds", a.manifest.seeds, b.manifest.seeds, ({ seed }) => seed);
  const others = new Map(b.manifest.seeds.map((seed) => [seed.seed, seed]));
  for (const seed of a.manifest.seeds) requireSameSeed(seed, others.get(seed.seed)!);
  const metrics = Object.keys(a.ci95).filter((metric) => metric in b.ci95);
  const clusters = ({ mps2: perSeed }: CelrecResult) =>
    perSeed.map((row): Cluster => {
      const means = metrics.map((metric) => figureIn(row, metric));
      return {
        id: row.seed,
        sums: means.map((mean) => (mean ?? 0) * row.lines),
        counts: means.map((mean) => (mean === null ? 0 : row.lines)),
      };
    });
  const decisive = metrics.find((metric) => metric.startsWith("ndcg-ideal@")) ?? metrics[0];
  return { unit: "seed", metrics, decisive, units: pairClusters(clusters(a), clusters(b)), better: betterOf };
}

function requireSameSeed(seed: SeedEntry, other: SeedEntry): void {
  if (seed.hash !== other.hash) throw refusePairing(`the seed ${seed.seed} has another text`);
  const cells = ({ mutants }: SeedEntry) => mutants.map(({ id }) => id).join();
  if (cells(seed) !== cells(other))
    throw refusePairing(`the seed ${seed.seed} had other mutants; were the mutators the same?`);
}
