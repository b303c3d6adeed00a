import { heatCell, heatTable } from "../../reports/html/heat-map.js";
import { escapeHtml, showCount, showLabel } from "../../reports/html/text.js";
import type { LabelsResult } from "./document.js";

/** Missed labels by what was given instead; the darker the more often. */
export function confusionMap({ byLabel, confusion }: LabelsResult): string {
  const labels = byLabel.map(({ label }) => label);
  const most = Math.max(1, ...confusion.instead.map(({ cells }) => cells));
  const columns = [null, ...labels];
  const rows = [...labels, null].map((missed) => {
    const cells = columns.map((given) => {
      const found = confusion.instead.find((one) => one.missed === missed && one.given === given);
      if (found === undefined) return '<td class="none">·</td>';
      const title = `${showCount(found.cells, "cell")}: ${given === null ? "nothing" : showLabel(given)} instead of ${missed === null ? "nothing" : showLabel(missed)}`;
      return heatCell(found.cells / most, String(found.cells), title, "--other");
    });
    const about = missed === null ? "nothing missed" : showLabel(missed);
    return `<tr><th scope="row">${escapeHtml(about)}</th>${cells.join("")}</tr>`;
  });
  return heatTable(["nothing given", ...labels.map(showLabel)], rows);
}
