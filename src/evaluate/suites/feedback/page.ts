import { intervalPlot } from "../../reports/html/interval-plot.js";
import {
  closePage,
  createFigures,
  type Figure,
  manifestSection,
  openPage,
  pageHeader,
  problemsSection,
} from "../../reports/html/page.js";
import { reliabilityPlots } from "../../reports/html/reliability-plot.js";
import { showCount, showNumber } from "../../reports/html/text.js";
import { manifestTable } from "../../reports/manifest-table.js";
import type { FeedbackResult } from "./document.js";
import { acceptanceViews } from "./views.js";

const INTERVALS =
  "Shares of the hits that were seen, with Wilson's 95 % intervals; how many they are stands beside the name.";

export function* renderFeedback(document: FeedbackResult): Generator<string> {
  const figure = createFigures();
  yield openPage(`celrec evaluation: ${showCount(document.counts.hits, "hit")} that were seen`);
  yield header(document);
  for (const { name, groups } of acceptanceViews(document)) {
    const rows = groups.map(({ name: group, shown, rate, interval }) => ({
      name: group,
      note: String(shown),
      value: rate,
      interval: interval ?? undefined,
    }));
    if (rows.length === 0) continue;
    const plot = intervalPlot(rows, { value: "accepted" });
    yield `<section id="by-${name}"><h2>By ${name}</h2>${figure(plot, `Accepted, by ${name}`, INTERVALS)}</section>\n`;
  }
  yield confidenceSection(document, figure);
  yield problemsSection(manifestTable(document), { nothing: "Nothing: every event could be read." });
  yield manifestSection(manifestTable(document));
  yield closePage();
}

function header({ counts, metrics, ci95 }: FeedbackResult): string {
  const keys = Object.entries(metrics).map(([name, value]) => ({ name, value, interval: ci95[name] }));
  const lead = `${showCount(counts.hits, "hit")} of ${showCount(counts.answers, "answer")} were seen by somebody, and ${counts.accepted.toLocaleString("en")} accepted. An answer has helped where one of its hits was accepted. Intervals from drawing answers.`;
  return pageHeader("What people did with recommendations", lead, keys);
}

function confidenceSection({ confidence }: FeedbackResult, figure: Figure): string {
  if (confidence === null) return "";
  const bins = confidence.bins.map(({ hits, meanConfidence, shareAccepted }) => ({
    count: hits,
    probability: meanConfidence,
    share: shareAccepted,
  }));
  const axes = ["mean confidence", "share accepted"] as const;
  const words = { one: "hit", of: "confidence", cameTrue: "were accepted", axes };
  const reliability = figure(
    reliabilityPlots([{ name: "all hits", ece: confidence.ece, bins }], words),
    "Reliability",
    "The share of the hits that were accepted over their mean confidence, in ten bins; the number is how many hits a dot stands for. A confidence says that a hit is useful; people leave useful hits, too, so that dots below the diagonal are to be expected.",
  );
  const cutoffs = figure(
    cutoffTable(confidence),
    "What another least confidence would have shown",
    "Accepted: share of the hits left. Answered: answers that would have shown any hit. Helped: answers that would have shown one that was accepted. What was not shown cannot be known, so that a lower least confidence than that of the service changes nothing here.",
  );
  return `<section id="confidence"><h2>What a confidence means</h2><div class="pair">${reliability}${cutoffs}</div></section>\n`;
}

function cutoffTable({ cutoffs }: NonNullable<FeedbackResult["confidence"]>): string {
  const head = ["hits", "accepted", "answered", "helped"].map((name) => `<th class="num">${name}</th>`);
  const rows = cutoffs
    .filter(({ hits }) => hits > 0)
    .map(({ minConfidence, hits, shareAccepted, answered, helped }) => {
      const numbers = [String(hits), ...[shareAccepted, answered, helped].map(showNumber)];
      const cells = numbers.map((text) => `<td class="num">${text}</td>`);
      return `<tr><th scope="row">${minConfidence.toFixed(1)}</th>${cells.join("")}</tr>`;
    });
  return `<table class="plot"><thead><tr><th>least confidence</th>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
