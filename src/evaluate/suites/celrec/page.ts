import { histogram } from "../../reports/html/histogram.js";
import { intervalLegend, intervalPlot } from "../../reports/html/interval-plot.js";
import { linesPlot } from "../../reports/html/lines-plot.js";
import {
  closePage,
  createFigures,
  type Figure,
  latencySection,
  manifestSection,
  openPage,
  type ProblemWords,
  pageHeader,
  problemsSection,
} from "../../reports/html/page.js";
import { showCount, showLabel } from "../../reports/html/text.js";
import { publishedName } from "../../reports/published.js";
import type { ReportTexts } from "../../reports/report.js";
import { groupBy } from "../../statistics/group-by.js";
import { intervalsOf } from "../../statistics/means.js";
import { type CelrecResult, figureIn } from "./document.js";
import { decisiveMetric, type MeasuredQuery, measureQueries, queryMetrics } from "./measure-queries.js";
import { operatorMap } from "./operator-map.js";
import { celrecManifest } from "./tables.js";
import { worstSeeds } from "./worst-seeds.js";

export function* renderCelrec(document: CelrecResult, texts: ReportTexts): Generator<string> {
  const { counts, k } = document;
  const figure = createFigures();
  const measured = [...measureQueries(document)];
  yield openPage(
    `celrec evaluation: ${showCount(counts.seeds, "seed")}, ${showCount(counts.queries, "query", "queries")}`,
  );
  yield header(document);
  yield `<section id="summary"><h2>Means over all queries</h2>${figure(summaryPlot(document), "Every metric", summaryCaption(document))}</section>\n`;
  yield `<section id="lines"><h2>How much must be typed</h2>${figure(byLinesPlot(document, measured), "Quality by number of query lines", "A query is the first lines of a seed. The band is the 95 % interval of the bold line, from drawing seeds; the bars below show how many queries each point stands for.")}</section>\n`;
  yield `<section id="operators"><h2>Which mutants are found</h2>${figure(operatorMap(document), "Operator by label", `Share of the queries that have the mutant ending with this operator among their first ${showCount(k, "result")}, by the label of the query. Mutants are cumulative: each holds the operators above it too. Hard negatives, in another colour, look alike and do something else: there a low share is good.`)}</section>\n`;
  yield `<section id="labels"><h2>Where it is strong and weak</h2>${labelFigure(document, measured, figure)}</section>\n`;
  yield `<section id="seeds"><h2>How even it is</h2>${seedFigure(document, figure)}</section>\n`;
  yield `<section id="worst"><h2>The weakest seeds</h2><p>Seeds in the order of their means, each with its weakest query. Ratings from 3 on are relevant.</p>${worstSeeds(document, measured, texts)}</section>\n`;
  const manifest = celrecManifest(document);
  yield latencySection(document.latency, figure);
  yield problemsSection(manifest, problemWords(document));
  yield manifestSection(manifest, { rows: /^sha256 of seed/, name: "hashes of seeds" });
  yield closePage();
}

function header(document: CelrecResult): string {
  const { counts, k, config, mps1, ci95 } = document;
  const target = typeof config.target === "string" ? config.target : "this recommender";
  const metrics = queryMetrics(document);
  const chosen = ["precision", "ap", "ndcg-ideal", "hit-rate"].flatMap(
    (name) => metrics.find(({ metric }) => metric.name === name) ?? [],
  );
  const keys = (chosen.length > 0 ? chosen : metrics.slice(0, 4)).map(({ name }) => ({
    name,
    value: mps1[name],
    interval: ci95[name],
  }));
  const lead = `${showCount(counts.queries, "query", "queries")} from ${showCount(counts.seeds, "seed cell")}, ${showCount(k, "result")} each, out of ${showCount(counts.recommendationCells, "mutant")} and ${showCount(counts.distractors, "distractor")}.`;
  return pageHeader(`Finding mutated cells: ${target}`, lead, keys);
}

function problemWords({ problems }: CelrecResult): ProblemWords {
  return {
    explain(problem) {
      const [kind, ...operator] = problem.split(" ");
      if (kind === "unchanged") return `seeds that ${operator.join(" ")} did not change`;
      if (kind === "failed") return `seeds that ${operator.join(" ")} failed on`;
      return kind === "droppedDistractors" ? "distractors dropped, being equal to a seed or a mutant" : null;
    },
    more: problems.seeds.map(({ seed, reason }) => [`seed left out: ${seed}`, reason]),
  };
}

function summaryPlot({ mps1, ci95, ceiling, published = [] }: CelrecResult): string {
  const measured = Object.entries(mps1).filter(([, value]) => value !== null);
  const rows = measured.map(([name, value]) => ({
    name,
    value,
    interval: ci95[name],
    ceiling: ceiling[name],
    published: published.find(({ figures }) => figures[name] != null)?.figures[name],
  }));
  const [first] = published;
  return intervalPlot(rows) + intervalLegend({ ceiling: true, ...(first && { published: publishedName(first) }) });
}

function summaryCaption({ mps1, published = [] }: CelrecResult): string {
  const sources = published.map(({ source }) => source).join("; ");
  const printed = Object.keys(mps1).some((name) => name.startsWith("ndcg@"));
  return [
    "Means over all queries, an empty list counting as 0; intervals from drawing whole seeds. The ceiling is what the best single list for every group of queries with equal text would reach.",
    printed
      ? "ndcg@k is the formula as the paper prints it, on which a list without a hit scores 1: decide by ndcg-ideal@k."
      : "",
    sources === "" ? "" : `Published figures: ${sources}.`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function byLinesPlot(document: CelrecResult, measured: readonly MeasuredQuery[]): string {
  const metrics = queryMetrics(document);
  const decisive = decisiveMetric(metrics);
  if (decisive === undefined) return "";
  const graded = metrics.filter(
    ({ metric, k }) => metric.name.startsWith("ndcg") && k === decisive.k && metric !== decisive.metric,
  );
  const at = metrics.indexOf(decisive);
  const groups = groupBy(measured, ({ query }) => query.lines);
  const series = [decisive, ...graded].map((asked) => ({
    name: asked.name,
    points: document.byLines.flatMap((row) => {
      const y = figureIn(row, asked.name);
      if (y === null) return [];
      const interval = asked === decisive ? intervalFor(groups.get(row.lines) ?? [], at) : undefined;
      return [{ x: row.lines, y, interval }];
    }),
  }));
  const counts = document.byLines.map(({ lines, queries }) => ({ x: lines, count: queries }));
  return counts.length === 0 ? "" : linesPlot(series, counts, "number of query lines");
}

function labelFigure(document: CelrecResult, measured: readonly MeasuredQuery[], figure: Figure): string {
  const metrics = queryMetrics(document);
  const decisive = decisiveMetric(metrics);
  if (decisive === undefined) return "";
  const groups = groupBy(measured, ({ query }) => query.label);
  const rows = document.byLabel.map((row) => ({
    name: showLabel(row.label),
    note: showCount(row.queries, "query", "queries"),
    value: figureIn(row, decisive.name),
    interval: intervalFor(groups.get(row.label) ?? [], metrics.indexOf(decisive)),
  }));
  return figure(
    intervalPlot(rows),
    `${decisive.name} by the label of the query`,
    "Means over the queries of each label with their 95 % intervals, from drawing seeds.",
  );
}

function seedFigure(document: CelrecResult, figure: Figure): string {
  const decisive = decisiveMetric(queryMetrics(document));
  if (decisive === undefined) return "";
  const means = document.mps2.flatMap((row) => figureIn(row, decisive.name) ?? []);
  return figure(
    histogram(means, "seeds"),
    `Seeds by their mean ${decisive.name}`,
    "Number of seeds in each twentieth of the scale: a mean can hide seeds on which nothing works.",
  );
}

function intervalFor(measured: readonly MeasuredQuery[], at: number): readonly [number, number] | undefined {
  const rows = measured.map(({ query, values }) => ({ seed: query.seed, values: [values[at]!] }));
  return intervalsOf(["value"], rows, ({ seed }) => seed).value;
}
