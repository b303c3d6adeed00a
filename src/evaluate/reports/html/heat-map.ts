import type { CelrecResult } from "../../results/celrec.js";
import { escapeHtml, showCount, showLabel } from "./text.js";

/** Which mutants were found, operator by label; the darker the more. */
export function heatMap({ byOperator, byLabel }: CelrecResult): string {
  const labels = byLabel.map(({ label }) => label);
  const rows = byOperator.map(({ operator, mutant, rating, cells, queries, found, byLabel: shares }) => {
    const kind = mutant === null ? "hard negative: fewer is better" : `mutant ${mutant}, rated ${rating}`;
    const name = `<th scope="row">${escapeHtml(operator)}<small>${kind}; ${showCount(cells, "cell")}</small></th>`;
    // Finding a hard negative is a mistake: another colour says so.
    const colour = mutant === null ? "--other" : "--accent";
    const byName = labels.map((label) =>
      foundCell(
        shares.find((share) => share.label === label),
        colour,
      ),
    );
    return `<tr>${name}${foundCell({ found, queries }, colour)}${byName.join("")}</tr>`;
  });
  return heatTable(["all", ...labels.map(showLabel)], rows);
}

function foundCell(share: { readonly found: number; readonly queries: number } | undefined, colour: string): string {
  if (share === undefined || share.queries === 0) return '<td class="none">–</td>';
  return heatCell(share.found, share.found.toFixed(2), `of ${showCount(share.queries, "query", "queries")}`, colour);
}

/** A cell of a heat map: `strength` 0..1 is its colour. */
export function heatCell(strength: number, text: string, title: string, colour: string): string {
  const ink = strength > 0.6 ? "var(--paper)" : "var(--ink)";
  const style = `background:color-mix(in oklab, var(${colour}) ${Math.round(8 + 84 * strength)}%, var(--paper));color:${ink}`;
  return `<td style="${style}" title="${escapeHtml(title)}">${escapeHtml(text)}</td>`;
}

/** Labels over columns, rows below them. */
export function heatTable(heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((name) => `<th scope="col">${escapeHtml(name)}</th>`);
  return `<div class="scroll"><table class="heat"><thead><tr><th></th>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}
