import { markLower } from "../../metrics/index.js";
import { codeBlock } from "../../reports/html/code.js";
import { type IntervalRow, intervalLegend, intervalPlot } from "../../reports/html/interval-plot.js";
import {
  closePage,
  createFigures,
  latencySection,
  manifestSection,
  openPage,
  pageHeader,
  problemsSection,
} from "../../reports/html/page.js";
import { hit, none, sideBySide } from "../../reports/html/side-by-side.js";
import { showCount, showNumber } from "../../reports/html/text.js";
import { manifestTable } from "../../reports/manifest-table.js";
import type { ReportTexts } from "../../reports/report.js";
import { confidenceSection } from "./confidence-section.js";
import type { TypingCase, TypingResult } from "./document.js";
import { typingSystems } from "./tables.js";

const MOST_CASES = 12;
const OPEN_CASES = 3;

const TITLES = {
  chrf: ["chrF", "Character n-gram F-score of the best result against what was really typed next."],
  "call-recall": [
    "Call recall",
    "Share of the calls typed next that the best result holds; cases without any are left out.",
  ],
  "call-f1": ["Call F1", "Call recall, weighed against calls of the result that the cell does not hold."],
  "chrf-adapted": ["chrF in the user's names", "The same of the cell with its names replaced by the user's own."],
  "insert-chrf": [
    "chrF of the insertion",
    "The same of what would go behind the cursor, in the user's names; a target that says nothing of it is scored by its code.",
  ],
  "first-line": [
    "First line",
    "Share of the cases where the first line of an insertion is the line that was typed next.",
  ],
  length: ["Length (lower is better)", "Mean length of the results in characters: long cells win recall for nothing."],
} as const;

export function* renderTyping(document: TypingResult, texts: ReportTexts): Generator<string> {
  const figure = createFigures();
  yield openPage(`celrec evaluation: ${showCount(document.counts.cases, "half-typed cell")}`);
  yield header(document);
  for (const metric of Object.keys(TITLES) as (keyof typeof TITLES)[]) {
    const [title, caption] = TITLES[metric];
    yield `<section id="${metric}"><h2>${title}</h2>${figure(plot(document, metric), title, `${caption} Intervals from drawing notebooks.`)}</section>\n`;
  }
  yield confidenceSection(document, figure);
  yield `<section id="worst"><h2>The weakest cases</h2><p>Cases in the order of their call F1, then chrF.</p>${worstCases(document, texts)}</section>\n`;
  yield latencySection(document.latency, figure);
  yield problemsSection(manifestTable(document));
  yield manifestSection(manifestTable(document));
  yield closePage();
}

function header({ counts, k, metrics, ci95 }: TypingResult): string {
  const keys = Object.entries(metrics).map(([name, value]) => ({
    name: markLower(name),
    value,
    interval: ci95[name],
    ...(name === "length" && { show: (figure: number | null | undefined) => String(Math.round(figure ?? 0)) }),
  }));
  const lead = `${showCount(counts.cases, "case")} from ${showCount(counts.notebooks, "notebook")}, ${showCount(k, "result")} each, out of ${showCount(counts.indexedCells, "cell")} of other notebooks; ${counts.copies} stand verbatim in the index, ${counts.withoutCalls} have no call left to type.`;
  return pageHeader("Completing half-typed cells", lead, keys);
}

function plot(document: TypingResult, metric: keyof typeof TITLES): string {
  const rows = typingSystems(document).flatMap(({ name, all, withoutCopies }, at): IntervalRow[] => {
    const row = { name, value: all[metric], interval: all.ci95[metric], ...(at > 0 && { look: "quiet" as const }) };
    if (document.counts.copies === 0) return [row];
    const look = at > 0 ? "quiet hollow" : "hollow";
    const fewer = { value: withoutCopies[metric], interval: withoutCopies.ci95[metric] };
    return [row, { name: "", note: "without copies", ...fewer, look }];
  });
  const highest = Math.max(...rows.map(({ value, interval }) => Math.max(value ?? 0, interval?.[1] ?? 0)));
  return intervalPlot(rows, { most: roundUp(highest) }) + intervalLegend({ ceiling: false });
}

/** The end of an axis that has four even steps. */
function roundUp(highest: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(highest, 1e-6)));
  return [1, 2, 4, 6, 8, 10].map((step) => step * unit).find((end) => end >= highest) ?? 10 * unit;
}

function worstCases({ cases }: TypingResult, texts: ReportTexts): string {
  const weakest = cases
    .filter(({ callF1 }) => callF1 !== null)
    .sort((a, b) => a.callF1! - b.callF1! || a.chrf - b.chrf || (a.id < b.id ? -1 : 1))
    .slice(0, MOST_CASES);
  return weakest.map((one, at) => showCase(one, texts, at < OPEN_CASES)).join("");
}

function showCase({ id, chrf, callF1, results, confidences }: TypingCase, texts: ReportTexts, open: boolean): string {
  const returned = results.map((cell, at) => {
    const sure = confidences[at] == null ? "" : `, confidence ${showNumber(confidences[at])}`;
    return hit(null, `result ${at + 1}${sure}`, texts.cell(cell));
  });
  const sides = [
    ["Typed so far", codeBlock(texts.query(id))],
    ["Typed next", codeBlock(texts.expected?.(id))],
    ["Returned", returned.join("") || none("Nothing came back.")],
  ] as const;
  return sideBySide(id, `call-f1 ${showNumber(callF1)}, chrf ${showNumber(chrf)}`, sides, open);
}
