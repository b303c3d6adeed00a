import type { Figure } from "../../reports/html/page.js";
import { reliabilityPlots } from "../../reports/html/reliability-plot.js";
import { showNumber } from "../../reports/html/text.js";
import { confidenceViews } from "./confidence-tables.js";
import type { TypingResult } from "./document.js";

/** How far the confidences can be believed, and what a plugin gains and loses that hides hits below one. */
export function confidenceSection(document: TypingResult, figure: Figure): string {
  const views = confidenceViews(document);
  if (views.length === 0) return "";
  const plots = views.map(({ name, figures: { ece, bins } }) => ({
    name,
    ece,
    bins: bins.map(({ hits, meanConfidence, shareUseful }) => ({
      count: hits,
      probability: meanConfidence,
      share: shareUseful,
    })),
  }));
  const axes = ["mean confidence", "share useful"] as const;
  const words = { one: "hit", of: "confidence", cameTrue: "are useful", axes };
  const reliability = figure(
    reliabilityPlots(plots, words),
    "Reliability",
    "The share of the hits that are useful (call F1 of at least .5) over their mean confidence, in ten bins; the number is how many hits a dot stands for. On the diagonal a confidence of .4 is useful in 40 %.",
  );
  const cutoffs = figure(
    cutoffTable(document.confidence!),
    "Hits below a confidence left out",
    "Useful: share of the hits shown. Answered: cases that show any hit. Helped: cases that show a useful one. Rows that show nothing are not drawn. Only hits of this run are left out; a request with minConfidence fills its list up with later ones.",
  );
  const body = `${reliability}${cutoffs}`;
  return `<section id="confidence"><h2>What a confidence means</h2>${views.length === 1 ? `<div class="pair">${body}</div>` : body}</section>\n`;
}

function cutoffTable({ cutoffs }: NonNullable<TypingResult["confidence"]>): string {
  const head = ["hits", "useful", "answered", "helped"].map((name) => `<th class="num">${name}</th>`);
  const shown = cutoffs.filter(({ hits }) => hits > 0);
  const rows = shown.map(({ minConfidence, hits, shareUseful, answered, helped }) => {
    const numbers = [String(hits), ...[shareUseful, answered, helped].map(showNumber)];
    const cells = numbers.map((text) => `<td class="num">${text}</td>`);
    return `<tr><th scope="row">${minConfidence.toFixed(1)}</th>${cells.join("")}</tr>`;
  });
  return `<table class="plot"><thead><tr><th>least confidence</th>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
