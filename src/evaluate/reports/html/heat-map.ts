import type { CelrecResult } from "../../results/celrec.js";
import { escapeHtml, showCount, showLabel } from "./text.js";

/** Which mutants were found, operator by label; the darker the more. */
export function heatMap({ byOperator, byLabel }: CelrecResult): string {
  const labels = byLabel.map(({ label }) => label);
  const head = ["all", ...labels.map(showLabel)].map((name) => `<th scope="col">${escapeHtml(name)}</th>`);
  const rows = byOperator.map(({ operator, mutant, rating, cells, queries, found, byLabel: shares }) => {
    const kind = mutant === null ? "hard negative: fewer is better" : `mutant ${mutant}, rated ${rating}`;
    const name = `<th scope="row">${escapeHtml(operator)}<small>${kind}; ${showCount(cells, "cell")}</small></th>`;
    // Finding a hard negative is a mistake: another colour says so.
    const colour = mutant === null ? "--other" : "--accent";
    const byName = labels.map((label) =>
      heatCell(
        shares.find((share) => share.label === label),
        colour,
      ),
    );
    return `<tr>${name}${heatCell({ found, queries }, colour)}${byName.join("")}</tr>`;
  });
  return `<div class="scroll"><table class="heat"><thead><tr><th></th>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function heatCell(share: { readonly found: number; readonly queries: number } | undefined, colour: string): string {
  if (share === undefined || share.queries === 0) return '<td class="none">–</td>';
  const strength = Math.round(8 + 84 * share.found);
  const ink = share.found > 0.6 ? "var(--paper)" : "var(--ink)";
  const style = `background:color-mix(in oklab, var(${colour}) ${strength}%, var(--paper));color:${ink}`;
  return `<td style="${style}" title="of ${showCount(share.queries, "query", "queries")}">${share.found.toFixed(2)}</td>`;
}
