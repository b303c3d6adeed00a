import { tokenize } from "../../../python/tokenize.js";
import { escapeHtml } from "./text.js";

const CLASSES: Readonly<Record<string, string>> = { keyword: "k", string: "s", comment: "c", number: "n", magic: "n" };

/** Longer cells are cut: a report shows what went wrong, it is no archive. */
const MOST_CHARACTERS = 4_000;

/** Code with its words in colour; says so where the text is not at hand. */
export function codeBlock(code: string | undefined, absent = "not at hand"): string {
  if (code === undefined) return `<pre class="absent">${absent}</pre>`;
  const shown = code.length > MOST_CHARACTERS ? `${code.slice(0, MOST_CHARACTERS)}\n# …` : code;
  let html = "";
  let done = 0;
  for (const { kind, text, start, end } of tokenize(shown)) {
    const name = CLASSES[kind];
    if (name === undefined) continue;
    html += `${escapeHtml(shown.slice(done, start))}<span class="${name}">${escapeHtml(text)}</span>`;
    done = end;
  }
  return `<pre tabindex="0">${html}${escapeHtml(shown.slice(done))}</pre>`;
}
