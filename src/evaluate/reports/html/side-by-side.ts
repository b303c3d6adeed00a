import { isRelevant } from "../../metrics/relevance.js";
import { codeBlock } from "./code.js";
import { escapeHtml } from "./text.js";

/** A case that can be folded away: what was asked, what was wanted and what came back, each with its head. */
export function sideBySide(
  name: string,
  about: string,
  sides: readonly (readonly [head: string, html: string])[],
  open: boolean,
): string {
  const columns = sides.map(([head, html]) => `<div><h4>${escapeHtml(head)}</h4>${html}</div>`);
  const summary = `<summary><h3>${escapeHtml(name)}</h3><span>${escapeHtml(about)}</span></summary>`;
  return `<details class="worst"${open ? " open" : ""}>${summary}<div class="sides">${columns.join("")}</div></details>`;
}

/** A cell with its rating; folded where it is only there to be looked up. */
export function hit(rating: number | null, about: string, code: string | undefined, folded = false): string {
  const badge = rating === null ? "" : `<span class="rating${isRelevant(rating) ? "" : " miss"}">${rating}</span>`;
  const name = `${badge}<span>${escapeHtml(about)}</span>`;
  if (folded) return `<details class="hit"><summary>${name}</summary>${codeBlock(code)}</details>`;
  return `<div class="hit"><p>${name}</p>${codeBlock(code)}</div>`;
}

export const none = (text: string): string => `<pre class="absent">${escapeHtml(text)}</pre>`;
