import { confidenceSection } from "../../reports/describe-confidence.js";
import { describeResult, targetName } from "../../reports/describe-result.js";
import { type MeasuredSystem, systemFigure, systemTable } from "../../reports/describe-systems.js";
import {
  countColumn,
  type Example,
  figureColumn,
  type LinePlot,
  type ReportDescription,
  type Section,
  type Table,
  textColumn,
} from "../../reports/description.js";
import { showCount, showNumber } from "../../reports/html/format.js";
import type { ReportTexts } from "../../reports/write-reports.js";
import { betterOf, cursorMetrics } from "./cursor-figures.js";
import type { CursorResult } from "./cursor-result.js";

const MAX_CASES = 12;
const OPEN_CASES = 3;
/** Names of the kinds of cut for people. */
const KIND_NAMES: Readonly<Record<string, string>> = {
  line: "at a line boundary",
  dot: "after .",
  bracket: "after (",
  equals: "after =",
  comma: "after ,",
  quote: "after an open quote",
  import: "after import",
  name: "inside a name",
};

/** The metrics shown at the top of the page. */
const HEADLINE = [
  "inside-exact@1",
  "inside-exact@k",
  "inside-next@1",
  "line-exact@1",
  "line-exact@k",
  "line-next@1",
  "saved",
  "undefined-names",
  "broken-tokens",
  "ece",
];

export function describeCursor(document: CursorResult, texts: ReportTexts): ReportDescription {
  const { counts, k, metrics, ci95 } = document;
  return describeResult(document, {
    title: "Completing the line at the cursor",
    lead: `${showCount(counts.cases, "case")} from ${showCount(counts.notebooks, "notebook")} (${counts.insideCases} inside a line, ${counts.lineCases} at a line boundary), ${showCount(k, "completion")} each, learnt from ${showCount(counts.indexedCells, "cell")} of other notebooks; ${showCount(counts.copies, "case is", "cases are")} of a cell that is in the index too. ${showCount(counts.typedCells, "cell was", "cells were")} typed from start to end.`,
    headline: HEADLINE.map((name) => name.replace("@k", `@${k}`)).map((name) => ({
      name: betterOf(name) === "lower" ? `${name} (lower is better)` : name,
      value: metrics[name] ?? null,
      interval: ci95[name],
    })),
    sections: [
      ...systemSections(document),
      { id: "kinds", title: "By kind of cut", blocks: [kindTable(document)] },
      ...typistSections(document),
      ...confidenceSection(document.confidence === null ? [] : [{ name: "all cases", figures: document.confidence }], {
        share: "share",
        outcome: "right",
        unit: "cases",
        reliabilityCaption:
          "The share of the completions that are right over their mean confidence, in ten bins; the number is the count of completions in a bin. On the diagonal a confidence of .4 is right in 40 %.",
        cutoffCaption:
          "Share right: of the completions shown. Answered: cases that show any completion. Helped: cases that show the right one.",
      }),
      {
        id: "worst",
        title: "The most confident mistakes",
        note: "Cases whose first completion is wrong, the most confident first.",
        blocks: [
          { kind: "examples", open: OPEN_CASES, list: () => confidentMistakes(document, texts) },
          caseTable(document),
        ],
      },
    ],
  });
}

const PLOTS: readonly (readonly [metric: string, title: string, caption: string])[] = [
  [
    "inside-exact@1",
    "Inside a line: the rest of it",
    "Share of the cases whose first completion is exactly the rest of the line.",
  ],
  [
    "line-exact@1",
    "At a line boundary: the whole line",
    "Share of the cases whose first completion is exactly the line.",
  ],
  ["inside-next@1", "Inside a line: the next token", "Share of the cases whose first completion starts with it."],
  [
    "saved",
    "Keys saved",
    "Share of the characters that a typist need not type, at the best threshold where half of what is shown is right.",
  ],
];

function systemSections(document: CursorResult): Section[] {
  const systems = systemsOf(document);
  const summary = systemTable(systems, cursorMetrics(document.k), { terminal: { layout: "columns" } });
  return PLOTS.map(([metric, title, caption], at) => ({
    id: metric.replace("@", "-"),
    title,
    blocks: [
      systemFigure(systems, metric, {
        title,
        caption,
        fitsAxis: true,
        second: ({ withoutCopies }) => withoutCopies && { note: "without copies", figures: withoutCopies, metric },
      }),
      ...(at === 0 ? [summary] : []),
    ],
  }));
}

function systemsOf(document: CursorResult): MeasuredSystem[] {
  const { metrics, ci95, withoutCopies, baselines, counts } = document;
  const hasCopies = counts.copies > 0;
  return [
    { name: targetName(document), all: { metrics, ci95 }, withoutCopies: hasCopies ? withoutCopies : null },
    ...Object.entries(baselines).map(([name, baseline]) => ({
      name: `baseline: ${name}`,
      all: baseline,
      withoutCopies: hasCopies ? baseline.withoutCopies : null,
    })),
  ];
}

function kindTable({ byKind }: CursorResult): Table {
  const names = Object.keys(byKind[0]?.metrics ?? {});
  return {
    kind: "table",
    name: "by kind",
    columns: [textColumn("cut"), countColumn("cases"), ...names.map((name) => figureColumn(name, betterOf(name)))],
    rows: () =>
      byKind.map(({ kind, cases, metrics }) => [
        KIND_NAMES[kind] ?? kind,
        cases,
        ...names.map((name) => metrics[name] ?? null),
      ]),
    terminal: { layout: "rows", columns: ["cases", "exact@1", "next@1", "chrf", "answered"] },
    page: { layout: "captioned" },
  };
}

function typistSections(document: CursorResult): Section[] {
  const { curve, baselines } = document;
  if (curve.length === 0) return [];
  const curves = [
    { name: targetName(document), points: curve },
    ...Object.entries(baselines).flatMap(([name, baseline]) =>
      baseline.curve.length === 0 ? [] : [{ name: `baseline: ${name}`, points: baseline.curve }],
    ),
  ];
  const table: Table = {
    kind: "table",
    name: "typist",
    note: "A simulated typist gets a suggestion after every token. With one key, the typist accepts the suggestion up to the last correct token.",
    columns: [
      textColumn("point"),
      textColumn("system"),
      figureColumn("threshold"),
      figureColumn("saved"),
      countColumn("shown"),
      figureColumn("share right"),
    ],
    rows: () =>
      curves.flatMap(({ name, points }) =>
        points.map(({ threshold, saved, shown, right }) => [
          `${name} from ${threshold}`,
          name,
          threshold,
          saved,
          shown,
          right,
        ]),
      ),
    page: { layout: "captioned", isShown: ([, name, , , shown]) => name === curves[0]!.name && shown !== 0 },
    terminal: {
      layout: "rows",
      columns: ["saved", "shown", "share right"],
      isShown: ([, name, threshold]) => name === curves[0]!.name && (Number(threshold) * 100) % 10 === 0,
    },
  };
  return [
    {
      id: "typist",
      title: "Keys saved by threshold",
      blocks: [
        {
          kind: "figure",
          title: "Keys saved, and how many suggestions are right",
          caption: "Over the display threshold in percent: suggestions with a lower confidence are not shown.",
          plot: () => (curve.every(({ shown }) => shown === 0) ? null : typistPlot(curves, curve)),
        },
        table,
      ],
    },
  ];
}

interface TypistCurve {
  readonly name: string;
  readonly points: CursorResult["curve"];
}

function typistPlot(curves: readonly TypistCurve[], shown: CursorResult["curve"]): LinePlot {
  const toPercent = ({ threshold }: CursorResult["curve"][number]) => Math.round(threshold * 100);
  return {
    type: "lines",
    series: [
      ...curves.map(({ name, points }) => ({
        name: `saved: ${name}`,
        points: points.map((point) => ({ x: toPercent(point), y: Math.max(0, point.saved) })),
      })),
      {
        name: "share right",
        points: shown.flatMap((point) => (point.right === null ? [] : [{ x: toPercent(point), y: point.right }])),
      },
    ],
    counts: shown.map((point) => ({ x: toPercent(point), count: point.shown })),
    axisName: "display threshold in percent",
    unit: "suggestion",
  };
}

function caseTable({ cases }: CursorResult): Table {
  const names = Object.keys(cases[0]?.values ?? {});
  return {
    kind: "table",
    name: "per case",
    isLong: true,
    columns: [
      ...["case", "notebook", "kind", "copy"].map(textColumn),
      ...names.map((name) => figureColumn(name)),
      ...["first completion", "confidences", "right"].map(textColumn),
    ],
    rows: () =>
      cases.map(({ id, notebook, kind, copy, values, completions }) => [
        id,
        notebook,
        kind,
        copy ? "yes" : "no",
        ...names.map((name) => values[name] ?? null),
        completions[0]?.text ?? null,
        completions.map(({ confidence }) => confidence?.toFixed(4) ?? "-").join(" "),
        completions.map(({ right }) => (right ? "yes" : "no")).join(" "),
      ]),
  };
}

function confidentMistakes({ cases }: CursorResult, texts: ReportTexts): Example[] {
  const confidenceOf = ({ completions }: CursorResult["cases"][number]) => completions[0]?.confidence ?? 0;
  return cases
    .filter(({ completions }) => completions[0]?.right === false)
    .sort((a, b) => confidenceOf(b) - confidenceOf(a) || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_CASES)
    .map(({ id, kind, completions }) => ({
      name: id,
      about: `${KIND_NAMES[kind] ?? kind}, confidence ${showNumber(completions[0]!.confidence)}`,
      sides: [
        { title: "Typed so far", texts: [{ code: texts.query(id) }] },
        { title: "Typed next", texts: [{ code: texts.expected?.(id) }] },
        {
          title: "Suggested",
          texts: completions.map(({ text, confidence }, at) => ({
            about: `completion ${at + 1}${confidence === null ? "" : `, confidence ${showNumber(confidence)}`}`,
            code: text,
          })),
        },
      ],
    }));
}
