import { heatCell, heatTable } from "../../reports/html/heat-map.js";
import { escapeHtml, showCount, showLabel } from "../../reports/html/text.js";
import type { CelrecResult } from "./document.js";

/** Which mutants were found, operator by label; the darker the more. */
export function operatorMap({ byOperator, byLabel }: CelrecResult): string {
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
