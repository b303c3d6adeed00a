import { escapeHtml } from "./text.js";

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
