import { describeResult, targetName } from "../reports/describe-result.js";
import { type MeasuredSystem, type SystemMetric, systemFigure, systemTable } from "../reports/describe-systems.js";
import {
  type Example,
  figureColumn,
  type ReportDescription,
  type Section,
  type Table,
  textColumn,
} from "../reports/description.js";
import { showCount, showNumber } from "../reports/html/format.js";
import type { ReportTexts } from "../reports/write-reports.js";
import type { PredictionResult } from "./prediction-result.js";

/** The parts of the report that are specific to a prediction suite. */
interface PredictionReport {
  readonly title: string;
  /** One sentence about the rules of the run: what the target got, and how it was scored. */
  readonly protocol: string;
  /** The metrics of the summary, and those shown on a terminal. */
  readonly measures: readonly SystemMetric[];
  readonly terminal: readonly string[];
  /** Title and caption of the plot of each metric. */
  readonly plots: Readonly<Record<string, readonly [title: string, caption: string]>>;
  /** The metric that the weakest cases are sorted by. */
  readonly worstBy: string;
  /** Title of the query. */
  readonly queryTitle: string;
  /** Sections of the suite's own, after the plots. */
  readonly sections?: readonly Section[];
}

const MAX_CASES = 12;
const OPEN_CASES = 3;
/** With fewer notebooks intervals are unreliable; with a single notebook there is no interval. */
const MIN_NOTEBOOKS = 8;

/** The report of every suite that scores predictions; figures that start with `best-` take the best of the k. */
export function describePredictions(
  document: PredictionResult,
  texts: ReportTexts,
  report: PredictionReport,
): ReportDescription {
  const { counts, k, metrics, ci95, published = [] } = document;
  const systems = systemsOf(document);
  const measures = report.measures.filter(({ name }) => name in metrics);
  const summary = systemTable(systems, measures, { published, terminal: { layout: "rows", columns: report.terminal } });
  const few =
    counts.notebooks! < MIN_NOTEBOOKS
      ? ` Intervals are from resampling notebooks; with fewer than ${MIN_NOTEBOOKS} they are not reliable.`
      : "";
  return describeResult(document, {
    title: report.title,
    lead: `${showCount(counts.cases!, "case")} from ${showCount(counts.notebooks!, "notebook")}, ${showCount(k, "result")} each, out of ${showCount(counts.indexedCells!, "cell")}; ${showCount(counts.copies!, "cell is", "cells are")} in the index too.${few} ${report.protocol}`,
    headline: Object.keys(report.plots).map((name) => ({ name, value: metrics[name] ?? null, interval: ci95[name] })),
    sections: [
      ...Object.entries(report.plots).map(([metric, [title, caption]], at): Section => {
        const best = `best-${metric}`;
        // With k = 1, the best is the first.
        const hasBest = k > 1 && metrics[best] !== undefined;
        const figure = systemFigure(systems, metric, {
          title,
          caption: `${caption}${hasBest ? " Hollow: the best of the k." : ""} ${report.protocol}`,
          second: ({ all }) => (hasBest ? { note: `best of ${k}`, figures: all, metric: best } : null),
          published,
          valueName: "value",
        });
        return { id: metric, title, blocks: [figure, ...(at === 0 ? [summary] : [])] };
      }),
      ...(report.sections ?? []),
      {
        id: "worst",
        title: "The weakest cases",
        note: `Cases in the order of ${report.worstBy}.`,
        blocks: [
          { kind: "examples", open: OPEN_CASES, list: () => worstCases(document, texts, report) },
          caseTable(document),
        ],
      },
    ],
  });
}

/** The target and the baselines, each with its figures over all cases and without copies. */
function systemsOf(document: PredictionResult): MeasuredSystem[] {
  const { metrics, ci95, withoutCopies, baselines, counts } = document;
  const targetLabel = targetName(document);
  const fewer = (figures: typeof withoutCopies) => (counts.copies! > 0 ? figures : null);
  return [
    { name: targetLabel, all: { metrics, ci95 }, withoutCopies: fewer(withoutCopies) },
    ...Object.entries(baselines).map(([name, { withoutCopies: others, ...all }]) => ({
      // A suite may also measure the recommender with other settings.
      name: name.startsWith("recommender") ? name.replace("recommender", targetLabel) : `baseline: ${name}`,
      all,
      withoutCopies: fewer(others),
    })),
  ];
}

function caseTable({ cases }: PredictionResult): Table {
  const metrics = Object.keys(cases[0]?.values ?? {});
  const notes = [...new Set(cases.flatMap((each) => Object.keys(each.notes ?? {})))];
  return {
    kind: "table",
    name: "per case",
    isLong: true,
    columns: [
      ...["case", "notebook", "copy"].map(textColumn),
      ...metrics.map((name) => figureColumn(name)),
      ...[...notes, "results"].map(textColumn),
    ],
    rows: () =>
      cases.map((each) => [
        each.id,
        each.notebook,
        each.copy ? "yes" : "no",
        ...metrics.map((name) => each.values[name] ?? null),
        ...notes.map((name) => each.notes?.[name] ?? null),
        each.results.join(" "),
      ]),
  };
}

function worstCases(
  { cases }: PredictionResult,
  texts: ReportTexts,
  { worstBy, queryTitle }: Pick<PredictionReport, "worstBy" | "queryTitle">,
): Example[] {
  return cases
    .filter((each) => each.values[worstBy] != null)
    .toSorted((a, b) => a.values[worstBy]! - b.values[worstBy]! || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_CASES)
    .map((each) => {
      const notes = Object.entries(each.notes ?? {}).map(([name, note]) => `, ${name}: ${note}`);
      const returned = each.results.map((cell, at) => ({
        about: `result ${at + 1}`,
        code: texts.cell(cell) ?? each.texts?.[cell],
      }));
      const more = Object.entries(each.shown ?? {}).map(([about, code]) => ({ about, code }));
      return {
        name: each.id,
        about: `${worstBy} ${showNumber(each.values[worstBy])}${notes.join("")}`,
        sides: [
          { title: queryTitle, texts: [{ code: texts.query(each.id) }] },
          { title: "Real cell", texts: [{ code: texts.expected?.(each.id) }] },
          { title: "Returned", texts: [...returned, ...more] },
        ],
      };
    });
}
