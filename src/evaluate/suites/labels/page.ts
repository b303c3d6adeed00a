import { codeBlock } from "../../reports/html/code.js";
import { intervalLegend, intervalPlot } from "../../reports/html/interval-plot.js";
import { linesPlot } from "../../reports/html/lines-plot.js";
import {
  closePage,
  createFigures,
  facts,
  latencySection,
  manifestSection,
  openPage,
  type ProblemWords,
  pageHeader,
  problemsSection,
} from "../../reports/html/page.js";
import { reliabilityPlots } from "../../reports/html/reliability-plot.js";
import { sideBySide } from "../../reports/html/side-by-side.js";
import { showCount, showLabel } from "../../reports/html/text.js";
import { manifestTable } from "../../reports/manifest-table.js";
import { confusionMap } from "./confusion-map.js";
import type { LabelsResult, WorstCell } from "./document.js";
import { showSet } from "./tables.js";

const KEYS = ["micro-f1", "exact-set", "lowest-f1", "highest-label-ece", "prefix-met"];
const OPEN_CELLS = 6;
const MOST_PAIRS = 8;
/** Longer prefixes are too few to draw a line through. */
const MOST_LINES = 30;

const PROBLEM_WORDS: ProblemWords = {
  explain(problem) {
    const [kind, ...label] = problem.split(" ");
    return kind === "unknownLabels" ? `cells of the label ${label.join(" ")}, which the labeller does not know` : null;
  },
  nothing: "Nothing: every label of the truth is known.",
};

export function* renderLabels(document: LabelsResult): Generator<string> {
  const figure = createFigures();
  const { partial } = document;
  yield openPage(`celrec evaluation: labels of ${showCount(document.counts.cells, "cell")}`);
  yield header(document);
  yield `<section id="summary"><h2>All labels together</h2>${figure(summaryPlot(document), "Every metric", "Micro counts every label of every cell, macro is the mean over the labels. Intervals from drawing whole notebooks.")}</section>\n`;
  yield `<section id="labels"><h2>Label by label</h2>${figure(labelPlot(document), "F1, with precision and recall", "The filled dot is the F1 of a label; the two below it are its precision and its recall. The axis need not start at 0.")}</section>\n`;
  yield `<section id="calibration"><h2>What a probability means</h2>${figure(calibrationPlots(document), "Reliability", "The share of the cells that have the label over its mean probability, in ten bins; the larger a dot, the more cells. On the diagonal a probability of .8 comes true in 80 %. Beside each name its expected calibration error.")}</section>\n`;
  yield `<section id="confusion"><h2>What is taken for what</h2>${figure(confusionMap(document), "Missed label by what was given instead", "Rows are labels that a cell has and did not get, columns what it got without having it. The last row holds labels given where none was missed.")}${besideTable(document)}</section>\n`;
  if (partial !== undefined) {
    yield `<section id="prefixes"><h2>While a cell is typed</h2>${figure(prefixPlot(partial), "Prefixes by number of lines", "Met: a true label of the whole cell is still possible. Kept: the share of all cells that the soft filter lets through; lower saves more work. Every line prefix of every cell with three or more lines counts once.")}</section>\n`;
  }
  yield `<section id="worst"><h2>The most confident mistakes</h2><p>One mistake per cell, the surest first. Some of them are mistakes of the truth.</p>${document.worst.map(showCell).join("")}</section>\n`;
  yield latencySection(document.latency, figure, "Time per cell");
  yield problemsSection(manifestTable(document), PROBLEM_WORDS);
  yield manifestSection(manifestTable(document));
  yield closePage();
}

function header({ counts, metrics, ci95 }: LabelsResult): string {
  const keys = KEYS.filter((name) => metrics[name] != null).map((name) => ({
    name,
    value: metrics[name],
    interval: ci95[name],
  }));
  const prefixes = counts.prefixes > 0 ? ` and ${showCount(counts.prefixes, "prefix", "prefixes")} of them` : "";
  const lead = `${showCount(counts.cells, "labelled cell")} from ${showCount(counts.notebooks, "notebook")}${prefixes}; ${showCount(counts.unlabelled, "cell has", "cells have")} none of the labels.`;
  return pageHeader("Telling what a cell does", lead, keys);
}

function summaryPlot({ metrics, ci95 }: LabelsResult): string {
  const rows = Object.entries(metrics).map(([name, value]) => ({ name, value, interval: ci95[name] }));
  return intervalPlot(rows, { value: "value" }) + intervalLegend({ ceiling: false, value: "value" });
}

function labelPlot({ byLabel }: LabelsResult): string {
  const rows = byLabel.flatMap(({ label, cells, f1, precision, recall, ci95 }) => [
    { name: showLabel(label), note: showCount(cells, "cell"), value: f1, interval: ci95.f1 },
    { name: "", note: "precision", value: precision, interval: ci95.precision, look: "quiet hollow" as const },
    { name: "", note: "recall", value: recall, interval: ci95.recall, look: "quiet hollow" as const },
  ]);
  const lowest = Math.min(1, ...rows.flatMap(({ value, interval }) => interval?.[0] ?? value ?? []));
  // Good labels differ in the second decimal; an axis from 0 would hide that.
  const least = Math.min(0.8, Math.floor(lowest * 5) / 5);
  return intervalPlot(rows, { least, value: "value" }) + intervalLegend({ ceiling: false, value: "value" });
}

function calibrationPlots({ byLabel }: LabelsResult): string {
  const plots = byLabel.flatMap(({ label, ece, calibration }) => {
    const bins = calibration.map(({ cells, ...bin }) => ({ ...bin, count: cells }));
    return ece === null ? [] : [{ name: showLabel(label), ece, bins }];
  });
  return reliabilityPlots(plots, { one: "cell", of: "probability", cameTrue: "have it" });
}

function besideTable({ confusion }: LabelsResult): string {
  const rows = confusion.beside
    .slice(0, MOST_PAIRS)
    .map(({ missed, right, cells }) => [
      `${showLabel(missed)} missed beside ${showLabel(right)}`,
      showCount(cells, "cell"),
    ]);
  return rows.length === 0 ? "" : `<h3 class="apart">Missed beside a right label</h3>${facts(rows)}`;
}

function prefixPlot({ byLines }: NonNullable<LabelsResult["partial"]>): string {
  const shown = byLines.filter(({ lines }) => lines <= MOST_LINES);
  const series = (["met", "kept"] as const).map((name) => ({
    name,
    points: shown.flatMap((row) => (row[name] === null ? [] : [{ x: row.lines, y: row[name] }])),
  }));
  const counts = shown.map(({ lines, prefixes }) => ({ x: lines, count: prefixes }));
  return counts.length === 0 ? "" : linesPlot(series, counts, "number of lines typed", "prefixes");
}

function showCell({ id, mistake, label, probability, truth, given, code }: WorstCell, at: number): string {
  const said = mistake === "wrong" ? "given" : "missed";
  const sets = facts([
    ["truth", showSet(truth)],
    ["given", showSet(given)],
    [`probability of ${label}`, probability.toFixed(3)],
  ]);
  const sides = [
    ["Cell", codeBlock(code)],
    ["Labels", sets],
  ] as const;
  return sideBySide(id, `${showLabel(label)} ${said}, probability ${probability.toFixed(3)}`, sides, at < OPEN_CELLS);
}
