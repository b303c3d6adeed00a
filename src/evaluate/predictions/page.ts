import { codeBlock } from "../reports/html/code.js";
import { type IntervalRow, intervalLegend, intervalPlot } from "../reports/html/interval-plot.js";
import {
  closePage,
  createFigures,
  type Figure,
  latencySection,
  manifestSection,
  openPage,
  pageHeader,
  problemsSection,
} from "../reports/html/page.js";
import { hit, none, sideBySide } from "../reports/html/side-by-side.js";
import { showCount, showNumber } from "../reports/html/text.js";
import { manifestTable } from "../reports/manifest-table.js";
import { publishedName } from "../reports/published.js";
import type { ReportTexts } from "../reports/report.js";
import type { PredictedCase, PredictionResult } from "./document.js";
import { systemsOf } from "./tables.js";

/** What a suite says on its page. */
export interface PageWords {
  readonly title: string;
  /** Metric -> head and caption; one plot each. */
  readonly plots: Readonly<Record<string, readonly [title: string, caption: string]>>;
  /** The figure that the weakest cases are sorted by. */
  readonly worstBy: string;
  readonly asked: string;
  /** Sections of the suite's own, behind the plots. */
  readonly more?: (figure: Figure) => Iterable<string>;
}

const MOST_CASES = 12;
const OPEN_CASES = 3;

export function* predictionPage(document: PredictionResult, texts: ReportTexts, words: PageWords): Generator<string> {
  const figure = createFigures();
  const { counts, k, metrics, ci95 } = document;
  yield openPage(`celrec evaluation: ${document.suite}, ${showCount(counts.cases!, "case")}`);
  const lead = `${showCount(counts.cases!, "case")} from ${showCount(counts.notebooks!, "notebook")}, ${showCount(k, "result")} each, out of ${showCount(counts.indexedCells!, "cell")}; ${counts.copies} stand verbatim in the index.`;
  const keys = Object.keys(words.plots).map((name) => ({ name, value: metrics[name], interval: ci95[name] }));
  yield pageHeader(words.title, lead, keys);
  for (const [metric, [title, caption]] of Object.entries(words.plots)) {
    const hollow = hasBest(document, metric) ? " Hollow: the best of the k." : "";
    const drawn = figure(plot(document, metric), title, `${caption}${hollow} Intervals from drawing notebooks.`);
    yield `<section id="${metric}"><h2>${title}</h2>${drawn}</section>\n`;
  }
  yield* words.more?.(figure) ?? [];
  yield `<section id="worst"><h2>The weakest cases</h2><p>Cases in the order of ${words.worstBy}.</p>${worstCases(document, texts, words)}</section>\n`;
  yield latencySection(document.latency, figure);
  yield problemsSection(manifestTable(document));
  yield manifestSection(manifestTable(document));
  yield closePage();
}

function plot(document: PredictionResult, metric: string): string {
  const best = `best-${metric}`;
  const withBest = hasBest(document, metric);
  const rows = systemsOf(document).flatMap(({ name, all }, at): IntervalRow[] => {
    const quiet = at > 0 ? "quiet " : "";
    const first = { name, value: all.metrics[metric] ?? null, interval: all.ci95[metric] };
    const ofK = { name: "", note: `best of ${document.k}`, value: all.metrics[best] ?? null, interval: all.ci95[best] };
    return [
      { ...first, ...(at > 0 && { look: "quiet" as const }) },
      ...(withBest ? [{ ...ofK, look: `${quiet}hollow` as IntervalRow["look"] & string }] : []),
    ];
  });
  const theirs = (document.published ?? []).flatMap((one): IntervalRow[] => {
    const value = one.figures[metric];
    return value == null ? [] : [{ name: publishedName(one), value, look: "quiet" as const }];
  });
  return intervalPlot([...rows, ...theirs], { value: "value" }) + intervalLegend({ ceiling: false, value: "value" });
}

/** The best of one is that one. */
const hasBest = ({ k, metrics }: PredictionResult, metric: string): boolean =>
  k > 1 && metrics[`best-${metric}`] !== undefined;

function worstCases({ cases }: PredictionResult, texts: ReportTexts, { worstBy, asked }: PageWords): string {
  const scored = cases.filter((each) => each.values[worstBy] != null);
  const weakest = scored.toSorted((a, b) => a.values[worstBy]! - b.values[worstBy]! || (a.id < b.id ? -1 : 1));
  return weakest
    .slice(0, MOST_CASES)
    .map((each, at) => showCase(each, texts, worstBy, asked, at < OPEN_CASES))
    .join("");
}

function showCase(each: PredictedCase, texts: ReportTexts, worstBy: string, asked: string, open: boolean): string {
  const notes = Object.entries(each.notes ?? {}).map(([name, note]) => `, ${name}: ${note}`);
  const returned = each.results.map((cell, at) =>
    hit(null, `result ${at + 1}`, texts.cell(cell) ?? each.texts?.[cell]),
  );
  const more = Object.entries(each.shown ?? {}).map(([head, text]) => hit(null, head, text));
  const sides = [
    [asked, codeBlock(texts.query(each.id))],
    ["Real cell", codeBlock(texts.expected?.(each.id))],
    ["Returned", (returned.join("") || none("Nothing came back.")) + more.join("")],
  ] as const;
  return sideBySide(each.id, `${worstBy} ${showNumber(each.values[worstBy])}${notes.join("")}`, sides, open);
}
