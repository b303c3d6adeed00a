import { betterOf } from "../../metrics/index.js";
import { isRelevant } from "../../metrics/metric.js";
import { describeResult, metricTable, NO_LABEL, publishedName, targetName } from "../../reports/describe-result.js";
import {
  type Column,
  countColumn,
  type Example,
  estimateColumn,
  type Figure,
  figureColumn,
  type HeatMapCell,
  type LinePlot,
  type ReportDescription,
  type Section,
  type Table,
  type TableCell,
  textColumn,
} from "../../reports/description.js";
import { showCount, showLabel, showNumber } from "../../reports/html/format.js";
import type { ReportTexts } from "../../reports/write-reports.js";
import { groupBy, intervalsOf } from "../../statistics/bootstrap.js";
import { type CelrecResult, type Confusion, figureIn, type QueryResult } from "./celrec-result.js";
import { decisiveMetric, documentScale, type MeasuredQuery, measureQueries, queryMetrics } from "./celrec-score.js";
import { relevantCells } from "./judge.js";

const MAX_SEEDS = 12;
const OPEN_SEEDS = 3;
/** The metrics at the top of the page, if measured. */
const HEADLINE = ["precision", "ap", "ndcg-ideal", "hit-rate"];

export function describeCelrec(document: CelrecResult, texts: ReportTexts): ReportDescription {
  const { counts, k, mps1: means, ci95, manifest, problems } = document;
  const metrics = queryMetrics(document);
  const chosen = HEADLINE.flatMap((name) => metrics.find(({ metric }) => metric.name === name) ?? []);
  const measured = lazy(() => [...measureQueries(document)]);
  return describeResult(document, {
    title: "Finding mutated cells",
    lead: `${showCount(counts.queries, "query", "queries")} from ${showCount(counts.seeds, "seed cell")}, ${showCount(k, "result")} each, out of ${showCount(counts.recommendationCells, "mutant")} and ${showCount(counts.distractors, "distractor")}.`,
    headline: (chosen.length > 0 ? chosen : metrics.slice(0, 4)).map(({ name }) => ({
      name,
      value: means[name] ?? null,
      interval: ci95[name],
    })),
    sections: [
      summarySection(document),
      confusionSection(document),
      linesSection(document, measured),
      operatorSection(document),
      labelSection(document, measured),
      seedSection(document),
      {
        id: "worst",
        title: "The weakest seeds",
        note: `Seeds with the lowest means first, each with its weakest query. Ratings of ${documentScale(document).relevantFrom} and more are relevant.`,
        blocks: [
          { kind: "examples", open: OPEN_SEEDS, list: () => worstSeeds(document, measured(), texts) },
          confusionTable(document),
          queryTable(document, measured),
        ],
      },
    ],
    problems: {
      explain(problem) {
        const [kind, ...operator] = problem.split(" ");
        if (kind === "unchanged") return `seeds that ${operator.join(" ")} did not change`;
        if (kind === "failed") return `seeds that ${operator.join(" ")} failed on`;
        return kind === "droppedDistractors" ? "distractors dropped because they equal a seed or a mutant" : null;
      },
      more: problems.seeds.map(({ seed, reason }) => [`seed left out: ${seed}`, reason]),
    },
    manifest: { "sha256 of seed": Object.fromEntries(manifest.seeds.map(({ seed, hash }) => [seed, hash])) },
  });
}

/** Computed on demand, because only some reports show every query. */
function lazy<T>(compute: () => T): () => T {
  let value: { readonly of: T } | undefined;
  return () => {
    value ??= { of: compute() };
    return value.of;
  };
}

function summarySection(document: CelrecResult): Section {
  const { mps1: means, ci95, ceiling, published = [], baselines = {} } = document;
  const [first] = published;
  const [baseline] = Object.entries(baselines);
  const measured = Object.entries(means).filter(([, value]) => value !== null);
  const publishedOf = (name: string) => published.find(({ figures }) => figures[name] != null)?.figures[name];
  return {
    id: "summary",
    title: "Means over all queries",
    blocks: [
      {
        kind: "figure",
        title: "Every metric",
        caption: summaryCaption(means, published),
        plot: () => ({
          type: "intervals",
          rows: measured.map(([name, value]) => ({
            name,
            value,
            interval: ci95[name],
            ceiling: ceiling[name],
            published: publishedOf(name),
            baseline: baseline?.[1].metrics[name],
          })),
          baselineName: baseline && `baseline:${baseline[0]}`,
          publishedName: first && publishedName(first),
        }),
      },
      metricTable(
        // Figures that were not measured, such as the calibration of a target without confidences, have no row.
        measured.map(([name]) => ({ name, better: betterOf(name) })),
        { metrics: means, ci95 },
        {
          value: targetName(document),
          systems: Object.fromEntries(Object.entries(baselines).map(([name, found]) => [`baseline:${name}`, found])),
          beside: {
            ceiling,
            ...Object.fromEntries(published.map((one) => [publishedName(one), one.figures])),
          },
        },
      ),
    ],
  };
}

function summaryCaption(means: CelrecResult["mps1"], published: NonNullable<CelrecResult["published"]>): string {
  const sources = published.map(({ source }) => source).join("; ");
  return [
    "Means over all queries; an empty list counts as 0. Intervals from resampling whole seeds. The ceiling is what the best single list for every group of queries with equal code would reach. A target that also reads comments can pass it.",
    Object.keys(means).some((name) => name.startsWith("ndcg@"))
      ? "ndcg@k is the formula as the paper prints it, on which a list without a hit scores 1: decide by ndcg-ideal@k."
      : "",
    means.ece == null
      ? ""
      : "ece assumes that a confidence is the probability that a cell is a mutant of the seed; it is meaningless for other confidences.",
    sources === "" ? "" : `Published figures: ${sources}.`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

const CONFUSION_COLUMNS = ["TP", "FP", "FN", "TN"].map(countColumn);
const confusionCells = (of: Confusion | undefined) => [of?.tp ?? null, of?.fp ?? null, of?.fn ?? null, of?.tn ?? null];

function confusionSection({ confusion, counts, k }: CelrecResult): Section {
  const cells = counts.recommendationCells! + counts.distractors!;
  return {
    id: "confusion",
    title: "Confusion matrix",
    blocks: [
      {
        kind: "table",
        name: "confusion matrix",
        note: `Sums over ${showCount(counts.queries!, "query", "queries")} of ${showCount(cells, "cell")} each. TP: relevant cells among the first ${k}; FP: other cells there; FN: relevant cells that are not there; TN: all others.`,
        columns: [textColumn("cells"), ...CONFUSION_COLUMNS],
        rows: () => (confusion === undefined ? [] : [["all queries", ...confusionCells(confusion)]]),
        terminal: { layout: "rows" },
        page: { layout: "captioned" },
      },
    ],
  };
}

/** The columns of metrics with a value per query, and their values in a row of a view. */
function metricColumns({ ci95 }: CelrecResult): { readonly columns: Column[]; of(row: object): TableCell[] } {
  const names = Object.keys(ci95);
  return {
    columns: names.map((name) => figureColumn(name)),
    of: (row) => names.map((name) => figureIn(row as Readonly<Record<string, unknown>>, name)),
  };
}

function linesSection(document: CelrecResult, measured: () => readonly MeasuredQuery[]): Section {
  const figures = metricColumns(document);
  const { sloc = [] } = document;
  return {
    id: "lines",
    title: "Quality by typed lines",
    blocks: [
      {
        kind: "figure",
        title: "Quality by number of query lines",
        caption: `A query is the first lines of a seed. The band is the 95 % interval of the bold line, from resampling seeds; the bars below show the number of queries of each point.${correlationText(document)}`,
        plot: () => linePlot(document, measured()),
      },
      {
        kind: "table",
        name: "correlation with lines",
        note: "Correlation of each metric with the number of lines of the query (EQ2), over all queries; intervals from resampling seeds. Spearman's uses ranks alone. Empty if a metric is the same for all queries.",
        columns: [textColumn("correlation with lines"), estimateColumn("Pearson"), estimateColumn("Spearman")],
        rows: () => sloc.map(({ metric, pearson, spearman }) => [metric, pearson, spearman]),
        terminal: {
          layout: "rows",
          isShown: ([metric], at) =>
            metric === decisiveMetric(queryMetrics(document))?.name && sloc[at]!.pearson.value !== null,
        },
        page: { layout: "captioned" },
      },
      {
        kind: "table",
        name: "per lines",
        columns: [countColumn("lines"), countColumn("queries"), ...figures.columns],
        rows: () => document.byLines.map((row) => [row.lines, row.queries, ...figures.of(row)]),
      },
    ],
  };
}

function correlationText({ sloc = [], ...document }: CelrecResult): string {
  const decisive = decisiveMetric(queryMetrics(document))?.name;
  const found = sloc.find(({ metric }) => metric === decisive)?.pearson;
  if (found == null || found.value === null) return "";
  const range = found.interval === null ? "" : ` [${found.interval.map(showNumber).join(", ")}]`;
  return ` Pearson's correlation of ${decisive} with the number of lines: ${showNumber(found.value)}${range}.`;
}

function linePlot(document: CelrecResult, measured: readonly MeasuredQuery[]): LinePlot | null {
  const metrics = queryMetrics(document);
  const decisive = decisiveMetric(metrics);
  if (decisive === undefined || document.byLines.length === 0) return null;
  const graded = metrics.filter(
    ({ metric, k }) => metric.name.startsWith("ndcg") && k === decisive.k && metric !== decisive.metric,
  );
  const groups = groupBy(measured, ({ query }) => query.lines);
  return {
    type: "lines",
    series: [decisive, ...graded].map((metric) => ({
      name: metric.name,
      points: document.byLines.flatMap((row) => {
        const y = figureIn(row, metric.name);
        if (y === null) return [];
        const interval =
          metric === decisive ? intervalFor(groups.get(row.lines) ?? [], metrics.indexOf(decisive)) : undefined;
        return [{ x: row.lines, y, interval }];
      }),
    })),
    counts: document.byLines.map(({ lines, queries }) => ({ x: lines, count: queries })),
    axisName: "number of query lines",
    unit: "queries",
  };
}

function operatorSection({ byOperator, byLabel, k }: CelrecResult): Section {
  const labels = byLabel.map(({ label }) => label);
  const shareOf = (shares: (typeof byOperator)[number]["byLabel"], label: string | null) =>
    shares.find((share) => share.label === label);
  const cell = (share: { readonly found: number; readonly queries: number } | undefined): HeatMapCell | null =>
    share === undefined || share.queries === 0
      ? null
      : {
          strength: share.found,
          text: share.found.toFixed(2),
          title: `of ${showCount(share.queries, "query", "queries")}`,
        };
  return {
    id: "operators",
    title: "Which mutants are found",
    blocks: [
      {
        kind: "figure",
        title: "Operator by label",
        caption: `Share of the queries that have the mutant ending with this operator among their first ${showCount(k, "result")}, by the label of the query. Mutants are cumulative: each includes the operators above it. Hard negatives, in another colour, look similar and do something else: there a low share is good.`,
        plot: () => ({
          type: "heat-map",
          columns: ["all", ...labels.map(showLabel)],
          rows: byOperator.map(({ operator, mutant, rating, cells, queries, found, byLabel: shares }) => ({
            name: operator,
            note: `${mutant === null ? "hard negative: fewer is better" : `mutant ${mutant}, rated ${rating}`}; ${showCount(cells, "cell")}`,
            isMistake: mutant === null,
            cells: [cell({ found, queries }), ...labels.map((label) => cell(shareOf(shares, label)))],
          })),
        }),
      },
      {
        kind: "table",
        name: "per operator",
        columns: [
          textColumn("operator"),
          ...["mutant", "rating", "cells", "queries"].map(countColumn),
          figureColumn("found"),
          figureColumn("mean rank"),
          ...labels.map((label) => figureColumn(`found in ${label ?? NO_LABEL}`)),
        ],
        rows: () =>
          byOperator.map(({ operator, mutant, rating, cells, queries, found, meanRank, byLabel: shares }) => [
            operator,
            mutant,
            rating,
            cells,
            queries,
            found,
            meanRank,
            ...labels.map((label) => shareOf(shares, label)?.found ?? null),
          ]),
      },
    ],
  };
}

function labelSection(document: CelrecResult, measured: () => readonly MeasuredQuery[]): Section {
  const metrics = queryMetrics(document);
  const decisive = decisiveMetric(metrics);
  const figures = metricColumns(document);
  const figure: Figure | undefined = decisive && {
    kind: "figure",
    title: `${decisive.name} by the label of the query`,
    caption: "Means over the queries of each label with their 95 % intervals, from resampling seeds.",
    plot() {
      const groups = groupBy(measured(), ({ query }) => query.label);
      return {
        type: "intervals",
        rows: document.byLabel.map((row) => ({
          name: showLabel(row.label),
          note: showCount(row.queries, "query", "queries"),
          value: figureIn(row, decisive.name),
          interval: intervalFor(groups.get(row.label) ?? [], metrics.indexOf(decisive)),
        })),
      };
    },
  };
  return {
    id: "labels",
    title: "Quality by label",
    blocks: [
      ...(figure === undefined ? [] : [figure]),
      {
        kind: "table",
        name: "per label",
        columns: [textColumn("label"), countColumn("queries"), ...figures.columns],
        rows: () => document.byLabel.map((row) => [row.label ?? NO_LABEL, row.queries, ...figures.of(row)]),
      },
    ],
  };
}

function seedSection(document: CelrecResult): Section {
  const decisive = decisiveMetric(queryMetrics(document));
  const figures = metricColumns(document);
  const perSeed = document.mps2;
  return {
    id: "seeds",
    title: "Quality by seed",
    blocks: [
      {
        kind: "figure",
        title: `Seeds by their mean ${decisive?.name ?? "figure"}`,
        caption: "Number of seeds in each twentieth of the scale: a mean can hide seeds on which nothing works.",
        plot: () =>
          decisive === undefined
            ? null
            : {
                type: "histogram",
                values: perSeed.flatMap((row) => figureIn(row, decisive.name) ?? []),
                unit: "seeds",
              },
      },
      {
        kind: "table",
        name: "per seed",
        note: "MPS2 of the paper: means over the queries of each seed, best first by precision, then AP, then nDCG, the columns of its Table 2.",
        columns: [textColumn("seed"), countColumn("lines"), ...figures.columns],
        rows: () => perSeed.map((row) => [row.seed, row.lines, ...figures.of(row)]),
      },
    ],
  };
}

function confusionTable({ confusion, queries }: CelrecResult): Table {
  return {
    kind: "table",
    name: "confusion matrix per query",
    columns: [textColumn("query"), ...CONFUSION_COLUMNS],
    rows: () => (confusion === undefined ? [] : queries.map((query) => [query.id, ...confusionCells(query.confusion)])),
    isComplete: true,
    page: { layout: "folded" },
  };
}

function queryTable(document: CelrecResult, measured: () => readonly MeasuredQuery[]): Table {
  return {
    kind: "table",
    name: "per query",
    isLong: true,
    columns: [
      ...["query", "seed"].map(textColumn),
      countColumn("lines"),
      textColumn("label"),
      ...CONFUSION_COLUMNS,
      ...queryMetrics(document).map(({ name }) => figureColumn(name)),
      textColumn("results"),
    ],
    rows: () =>
      measured().map(({ query, values }) => [
        query.id,
        query.seed,
        query.lines,
        query.label,
        ...confusionCells(query.confusion),
        ...values,
        query.results.map(({ id, rating }) => `${id}:${rating}`).join(" "),
      ]),
  };
}

function intervalFor(measured: readonly MeasuredQuery[], at: number): readonly [number, number] | undefined {
  const rows = measured.map(({ query, values }) => ({ seed: query.seed, values: [values[at]!] }));
  return intervalsOf(["value"], rows, ({ seed }) => seed).value;
}

/** The seeds with the lowest scores, each with its worst query and the expected and returned cells. */
function worstSeeds(document: CelrecResult, measured: readonly MeasuredQuery[], texts: ReportTexts): Example[] {
  const metrics = queryMetrics(document);
  const metric = decisiveMetric(metrics);
  if (metric === undefined) return [];
  const at = metrics.indexOf(metric);
  const scale = documentScale(document);
  const truths = new Map(document.manifest.seeds.map((truth) => [truth.seed, truth]));
  return findWorst(measured, at).map(({ seed, mean, queries, worst: { query, values } }): Example => {
    const { mutants = [], hardNegatives = [] } = truths.get(seed) ?? {};
    return {
      name: seed,
      about: `${metric.name} ${showNumber(mean)} over ${showCount(queries, "query", "queries")}`,
      sides: [
        {
          title: `Query, first ${showCount(query.lines, "line")}: ${metric.name} ${showNumber(values[at])}`,
          texts: [{ code: texts.query(query.id) }],
        },
        {
          title: "Expected",
          empty: "This seed has no mutants.",
          texts: relevantCells(mutants, scale).map(({ id, mutant, operator, rating }, index) => ({
            about: `mutant ${mutant}, ${operator}`,
            rating,
            isRelevant: true,
            code: texts.cell(id),
            isFolded: index > 0,
          })),
        },
        {
          title: "Returned",
          texts: query.results.map((result) => {
            const hardNegative = hardNegatives.find(({ id }) => id === result.id)?.operator;
            const isHit = isRelevant(result.rating, scale);
            return {
              about: describeHit(result, isHit, hardNegative),
              rating: result.rating,
              isRelevant: isHit,
              code: texts.cell(result.id),
            };
          }),
        },
      ],
    };
  });
}

interface WorstSeed {
  readonly seed: string;
  readonly mean: number;
  readonly queries: number;
  readonly worst: MeasuredQuery;
}

/** Lowest means first. The worst query of a seed has the lowest value; among ties, the longest query. */
function findWorst(measured: readonly MeasuredQuery[], at: number): WorstSeed[] {
  const seeds = groupBy(measured, ({ query }) => query.seed);
  return [...seeds]
    .map(([seed, queries]) => ({
      seed,
      mean: queries.reduce((sum, { values }) => sum + values[at]!, 0) / queries.length,
      queries: queries.length,
      worst: queries.toSorted((a, b) => a.values[at]! - b.values[at]! || b.query.lines - a.query.lines)[0]!,
    }))
    .sort((a, b) => a.mean - b.mean || (a.seed < b.seed ? -1 : 1))
    .slice(0, MAX_SEEDS);
}

function describeHit({ seed, mutant, score }: QueryResult, isHit: boolean, hardNegative: string | undefined): string {
  const other = seed === null ? "unrelated cell" : `mutant ${mutant} of ${seed}`;
  const origin = isHit ? `mutant ${mutant}` : hardNegative === undefined ? other : `hard negative, ${hardNegative}`;
  return score === null ? origin : `${origin}, score ${score.toFixed(3)}`;
}
