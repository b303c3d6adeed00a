import { describeResult, estimateOf, metricTable, NO_LABEL } from "../../reports/describe-result.js";
import {
  countColumn,
  type Example,
  estimateColumn,
  figureColumn,
  type HeatMap,
  type ReportDescription,
  type Section,
  type Table,
  textColumn,
} from "../../reports/description.js";
import { showCount, showLabel } from "../../reports/html/format.js";
import type { LabelsResult, WorstCell } from "./labels-result.js";
import { labelMetrics, RATIO_NAMES } from "./labels-score.js";

const HEADLINE = ["micro-f1", "exact-set", "lowest-f1", "highest-label-ece", "prefix-met"];
const OPEN_CELLS = 6;
const TERMINAL_CELLS = 3;
const MAX_PAIRS = 8;
const TERMINAL_PAIRS = 5;
/** Maximum lines of a prefix in the plot; there are too few longer prefixes. */
const MAX_LINES = 30;

export function describeLabels(document: LabelsResult): ReportDescription {
  const { counts, metrics, ci95, partial, worst } = document;
  const prefixes = counts.prefixes > 0 ? ` and ${showCount(counts.prefixes, "prefix", "prefixes")} of them` : "";
  return describeResult(document, {
    title: "Labelling cells",
    lead: `${showCount(counts.cells, "labelled cell")} from ${showCount(counts.notebooks, "notebook")}${prefixes}; ${showCount(counts.unlabelled, "cell has", "cells have")} none of the labels.`,
    headline: HEADLINE.filter((name) => metrics[name] != null).map((name) => ({
      name,
      value: metrics[name]!,
      interval: ci95[name],
    })),
    sections: [
      summarySection(document),
      labelSection(document),
      calibrationSection(document),
      confusionSection(document),
      ...(partial === undefined ? [] : [prefixSection(partial)]),
      {
        id: "worst",
        title: "The most confident mistakes",
        note: "One mistake per cell, the most confident first. Some are mistakes of the reference labels.",
        blocks: [
          { kind: "examples", open: OPEN_CELLS, terminal: TERMINAL_CELLS, list: () => worst.map(toExample) },
          worstTable(worst),
          cellTable(document),
        ],
      },
    ],
    latencyTitle: "Time per cell",
    problems: {
      explain(problem) {
        const [kind, ...label] = problem.split(" ");
        return kind === "unknownLabels"
          ? `cells of the label ${label.join(" ")}, which the labeller does not know`
          : null;
      },
      none: "None: the labeller knows every reference label.",
    },
  });
}

function summarySection({ metrics, ci95 }: LabelsResult): Section {
  const known = labelMetrics({ partial: true });
  const names = Object.keys(metrics).map((name) => ({
    name,
    better: known.find((one) => one.name === name)?.better ?? ("higher" as const),
  }));
  return {
    id: "summary",
    title: "All labels together",
    blocks: [
      {
        kind: "figure",
        title: "Every metric",
        caption:
          "Micro counts every label of every cell, macro is the mean over the labels. Intervals from resampling whole notebooks.",
        plot: () => ({
          type: "intervals",
          valueName: "value",
          rows: names.map(({ name }) => ({ name, ...estimateOf({ metrics, ci95 }, name) })),
        }),
      },
      metricTable(names, { metrics, ci95 }),
    ],
  };
}

function labelSection({ byLabel }: LabelsResult): Section {
  const rows = byLabel.flatMap(({ label, cells, f1, precision, recall, ci95 }) => [
    { name: showLabel(label), note: showCount(cells, "cell"), value: f1, interval: ci95.f1 },
    { name: "", note: "precision", value: precision, interval: ci95.precision, look: "quiet hollow" as const },
    { name: "", note: "recall", value: recall, interval: ci95.recall, look: "quiet hollow" as const },
  ]);
  const lowest = Math.min(1, ...rows.flatMap(({ value, interval }) => interval?.[0] ?? value ?? []));
  return {
    id: "labels",
    title: "Each label",
    blocks: [
      {
        kind: "figure",
        title: "F1, with precision and recall",
        caption:
          "The filled dot is the F1 of a label; the two below it are its precision and its recall. The axis does not always start at 0.",
        // The axis does not start at 0, because good labellers differ in the second decimal.
        plot: () => ({
          type: "intervals",
          rows,
          valueName: "value",
          axis: { min: Math.min(0.8, Math.floor(lowest * 5) / 5) },
        }),
      },
      {
        kind: "table",
        name: "per label",
        columns: [
          textColumn("label"),
          countColumn("cells"),
          countColumn("given"),
          ...RATIO_NAMES.map((name) => estimateColumn(name)),
          figureColumn("ece"),
        ],
        rows: () =>
          byLabel.map((row) => [
            row.label,
            row.cells,
            row.given,
            ...RATIO_NAMES.map((name) => ({ value: row[name], interval: row.ci95[name] })),
            row.ece,
          ]),
        terminal: { layout: "rows" },
      },
    ],
  };
}

function calibrationSection({ byLabel }: LabelsResult): Section {
  return {
    id: "calibration",
    title: "Calibration",
    blocks: [
      {
        kind: "figure",
        title: "Reliability",
        caption:
          "The share of the cells that have the label over its mean probability, in ten bins; the larger a dot, the more cells. On the diagonal a probability of .8 comes true in 80 %. Beside each name its expected calibration error.",
        plot: () => ({
          type: "reliability",
          curves: byLabel.flatMap(({ label, ece, calibration }) => {
            const bins = calibration.map(({ cells, ...bin }) => ({ ...bin, count: cells }));
            return ece === null ? [] : [{ name: showLabel(label), ece, bins }];
          }),
          unit: "cell",
          probabilityName: "probability",
          outcome: "have it",
        }),
      },
      {
        kind: "table",
        name: "calibration",
        columns: [
          ...["bin", "label"].map(textColumn),
          figureColumn("from"),
          countColumn("cells"),
          figureColumn("mean probability"),
          figureColumn("share true"),
        ],
        rows: () =>
          byLabel.flatMap(({ label, calibration }) =>
            calibration
              .filter(({ cells }) => cells > 0)
              .map(({ from, cells, probability, share }) => [
                `${label} from ${from}`,
                label,
                from,
                cells,
                probability,
                share,
              ]),
          ),
      },
    ],
  };
}

function confusionSection(document: LabelsResult): Section {
  const { instead, beside } = document.confusion;
  return {
    id: "confusion",
    title: "Confused labels",
    blocks: [
      {
        kind: "figure",
        title: "Missed labels, and the labels given instead",
        caption:
          "Rows: labels that a cell has but was not given. Columns: labels that it was given but does not have. The last row: labels given although none was missed.",
        plot: () => confusionMap(document),
      },
      {
        kind: "table",
        name: "given instead",
        columns: [...["pair", "missed", "given"].map(textColumn), countColumn("cells")],
        rows: () =>
          instead.map(({ missed, given, cells }) => [
            `${given ?? "nothing"} for ${missed ?? "nothing"}`,
            missed,
            given,
            cells,
          ]),
        terminal: { layout: "rows", columns: ["cells"], isShown: (_, at) => at < TERMINAL_PAIRS },
      },
      {
        kind: "table",
        name: "missed beside",
        note: "Labels that were missed on cells that got another of their labels.",
        columns: [...["pair", "missed", "right"].map(textColumn), countColumn("cells")],
        rows: () => beside.map(({ missed, right, cells }) => [`${right} without ${missed}`, missed, right, cells]),
        page: { layout: "captioned", isShown: (_, at) => at < MAX_PAIRS },
      },
    ],
  };
}

function confusionMap({ byLabel, confusion }: LabelsResult): HeatMap {
  const labels = byLabel.map(({ label }) => label);
  const max = Math.max(1, ...confusion.instead.map(({ cells }) => cells));
  const show = (label: string | null) => (label === null ? "nothing" : showLabel(label));
  return {
    type: "heat-map",
    columns: ["nothing given", ...labels.map(showLabel)],
    rows: [...labels, null].map((missed) => ({
      name: missed === null ? "nothing missed" : showLabel(missed),
      isMistake: true,
      cells: [null, ...labels].map((given) => {
        const found = confusion.instead.find((one) => one.missed === missed && one.given === given);
        return found === undefined
          ? null
          : {
              strength: found.cells / max,
              text: String(found.cells),
              title: `${showCount(found.cells, "cell")}: ${show(given)} instead of ${show(missed)}`,
            };
      }),
    })),
  };
}

function prefixSection({ byLines, byLabel }: NonNullable<LabelsResult["partial"]>): Section {
  const drawn = byLines.filter(({ lines }) => lines <= MAX_LINES);
  const columns = [countColumn("prefixes"), figureColumn("met"), figureColumn("kept")];
  return {
    id: "prefixes",
    title: "While a cell is typed",
    blocks: [
      {
        kind: "figure",
        title: "Prefixes by number of lines",
        caption:
          "Met: a true label of the whole cell is still possible. Kept: the share of all cells that the soft filter lets through; lower saves more work. Every line prefix of every cell with three or more lines counts once.",
        plot: () =>
          drawn.length === 0
            ? null
            : {
                type: "lines",
                series: (["met", "kept"] as const).map((name) => ({
                  name,
                  points: drawn.flatMap((row) => (row[name] === null ? [] : [{ x: row.lines, y: row[name] }])),
                })),
                counts: drawn.map(({ lines, prefixes }) => ({ x: lines, count: prefixes })),
                axisName: "number of lines typed",
                unit: "prefixes",
              },
      },
      {
        kind: "table",
        name: "prefixes by lines",
        columns: [countColumn("lines"), ...columns],
        rows: () => byLines.map(({ lines, prefixes, met, kept }) => [lines, prefixes, met, kept]),
      },
      {
        kind: "table",
        name: "prefixes by label",
        columns: [textColumn("label"), ...columns],
        rows: () => byLabel.map(({ label, prefixes, met, kept }) => [label, prefixes, met, kept]),
      },
    ],
  };
}

/** Joins labels in one field. */
const showSet = (labels: readonly string[]): string => labels.join(", ") || NO_LABEL;

function toExample({ id, mistake, label, probability, truth, given, code }: WorstCell): Example {
  return {
    name: id,
    about: `${label} ${mistake === "wrong" ? "given" : "missed"}, probability ${probability.toFixed(3)}`,
    sides: [
      { title: "Cell", texts: [{ code }] },
      {
        title: "Labels",
        texts: [
          {
            facts: [
              ["truth", showSet(truth)],
              ["given", showSet(given)],
              [`probability of ${label}`, probability.toFixed(3)],
            ],
          },
        ],
      },
    ],
  };
}

function worstTable(worst: readonly WorstCell[]): Table {
  return {
    kind: "table",
    name: "worst cells",
    columns: [
      ...["cell", "mistake", "label"].map(textColumn),
      figureColumn("probability"),
      ...["truth", "given", "code"].map(textColumn),
    ],
    rows: () =>
      worst.map(({ id, mistake, label, probability, truth, given, code }) => [
        id,
        mistake,
        label,
        probability,
        showSet(truth),
        showSet(given),
        code,
      ]),
  };
}

function cellTable({ cells }: LabelsResult): Table {
  return {
    kind: "table",
    name: "per cell",
    isLong: true,
    columns: [
      ...["cell", "notebook", "truth", "given"].map(textColumn),
      countColumn("prefixes"),
      countColumn("prefixes met"),
    ],
    rows: () =>
      cells.map(({ id, notebook, truth, given, partial }) => [
        id,
        notebook,
        showSet(truth),
        showSet(given),
        partial?.prefixes ?? null,
        partial?.met ?? null,
      ]),
  };
}
