import { tokenize } from "../../../python/tokenize.js";
import { isRelevant } from "../../metrics/metric.js";
import type { Example, ExampleSide, Examples, ExampleText, Value } from "../description.js";
import { escapeHtml } from "./format.js";

const CLASSES: Readonly<Record<string, string>> = { keyword: "k", string: "s", comment: "c", number: "n", magic: "n" };

/** Longer cells are cut: a report shows mistakes, it is not an archive. */
const MAX_CHARACTERS = 4_000;

/** Each example can be folded away; its texts are side by side. */
export function drawExamples({ list, open }: Examples): string {
  return list()
    .map((example, at) => drawExample(example, at < open))
    .join("");
}

function drawExample({ name, about, sides }: Example, isOpen: boolean): string {
  const columns = sides.map((side) => `<div><h4>${escapeHtml(side.title)}</h4>${drawSide(side)}</div>`);
  const summary = `<summary><h3>${escapeHtml(name)}</h3><span>${escapeHtml(about)}</span></summary>`;
  return `<details class="worst"${isOpen ? " open" : ""}>${summary}<div class="sides">${columns.join("")}</div></details>`;
}

function drawSide({ texts, empty = "Nothing was returned." }: ExampleSide): string {
  return texts.length === 0 ? drawAbsent(empty) : texts.map(drawText).join("");
}

function drawText({ about, code, facts, rating, isFolded }: ExampleText): string {
  const body = facts === undefined ? drawCode(code) : drawFacts(facts);
  if (about === undefined) return body;
  const miss = rating !== undefined && !isRelevant(rating) ? " miss" : "";
  const badge = rating === undefined ? "" : `<span class="rating${miss}">${rating}</span>`;
  const name = `${badge}<span>${escapeHtml(about)}</span>`;
  if (isFolded) return `<details class="hit"><summary>${name}</summary>${body}</details>`;
  return `<div class="hit"><p>${name}</p>${body}</div>`;
}

const drawAbsent = (text: string): string => `<pre class="absent">${escapeHtml(text)}</pre>`;

function drawCode(code: string | undefined): string {
  if (code === undefined) return drawAbsent("not available");
  const shown = code.length > MAX_CHARACTERS ? `${code.slice(0, MAX_CHARACTERS)}\n# …` : code;
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

/** Names and values, one line each. */
export function drawFacts(rows: readonly (readonly [name: Value, value: Value])[]): string {
  const lines = rows.map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(String(name))}</th><td>${escapeHtml(String(value ?? ""))}</td></tr>`,
  );
  return `<table class="facts"><tbody>${lines.join("")}</tbody></table>`;
}
