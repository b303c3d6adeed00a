import { loadGrammar } from "../../python/grammar.js";
import { tokenize } from "../../python/tokenize.js";
import {
  type Block,
  columnTitle,
  type Example,
  type ExampleSide,
  type Examples,
  type ExampleText,
  type Facts,
  type HeadlineFigure,
  isEstimate,
  type Plot,
  type ReportDescription,
  type Section,
  showCell,
  type Table,
  type TableCell,
  type Value,
} from "./description.js";
import { drawPlot as drawForPrint } from "./figure/draw-plot.js";
import type { Drawing } from "./figure/drawing.js";
import { toPdf } from "./figure/pdf.js";
import { toSvg } from "./figure/svg.js";
import { escapeHtml, showNumber } from "./html/format.js";
import { drawHeatMap, drawHistogram, drawIntervals, drawLatency, drawLines, drawReliability } from "./html/plots.js";
import { STYLE } from "./html/style.js";
import type { Report } from "./write-reports.js";

/** Number of facts that are always visible; the rest is folded away. */
const MAX_VISIBLE_FACTS = 60;

/** A self-contained HTML page: inline SVG plots, no scripts, light and dark theme, printable. */
export const html: Report = {
  name: "html",
  extensions: [".html", ".htm"],
  async *render(_, describe) {
    // Syntax highlighting uses our lexer, which needs the parser for magics.
    await loadGrammar();
    yield* renderPage(describe());
  },
};

export function* renderPage({ title, lead, headline, sections }: ReportDescription): Generator<string> {
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`celrec evaluation: ${title}`)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body>
`;
  const about = lead === "" ? "" : `<p class="lead">${escapeHtml(lead)}</p>`;
  yield `<header><p class="kind">celrec evaluation</p><h1>${escapeHtml(title)}</h1>${about}${drawHeadline(headline)}</header>\n`;
  const number = createNumbers();
  for (const section of sections) yield drawSection(section, number);
  yield "</body></html>\n";
}

function drawHeadline(figures: readonly HeadlineFigure[]): string {
  const items = figures.map(({ name, value, interval }) => {
    const range = interval == null ? "" : `${showNumber(interval[0])} – ${showNumber(interval[1])}`;
    return `<li><span>${escapeHtml(name)}</span><b>${showNumber(value)}</b><span>${range}</span></li>`;
  });
  return items.length === 0 ? "" : `<ul class="keys">${items.join("")}</ul>`;
}

type Captioned = "figure" | "table";
type Numbers = (kind: Captioned) => number;

/** Figures and tables are numbered from 1, in the order of drawing. */
function createNumbers(): Numbers {
  const last = { figure: 0, table: 0 };
  return (kind) => {
    last[kind] += 1;
    return last[kind];
  };
}

function drawSection({ id, title, note, blocks, isPair }: Section, number: Numbers): string {
  const body = blocks.map((block) => drawBlock(block, number)).join("");
  if (body === "") return "";
  const about = note === undefined ? "" : `<p>${escapeHtml(note)}</p>`;
  return `<section id="${escapeHtml(id)}"><h2>${escapeHtml(title)}</h2>${about}${isPair ? `<div class="pair">${body}</div>` : body}</section>\n`;
}

function drawBlock(block: Block, number: Numbers): string {
  if (block.kind === "examples") return drawExamples(block);
  if (block.kind === "facts") return drawFactBlock(block);
  if (block.kind === "table") return drawTable(block, number);
  const plot = block.plot();
  if (plot === null) return "";
  const at = number("figure");
  const links = ` ${downloadLinks(drawForPrint(plot), `figure-${at}`)}`;
  return drawCaptioned("figure", at, drawPlot(plot), block.title, escapeHtml(block.caption) + links);
}

function drawCaptioned(kind: Captioned, number: number, body: string, title: string, caption: string): string {
  const name = `${kind === "figure" ? "Figure" : "Table"} ${number}. ${escapeHtml(title)}.`;
  return `<figure id="${kind}-${number}">${body}<figcaption><b>${name}</b> ${caption}</figcaption></figure>\n`;
}

/** Links to the figure as files for a paper, embedded in the page. */
function downloadLinks(print: Drawing, name: string): string {
  const link = (extension: string, type: string, bytes: Uint8Array | string) =>
    `<a download="${name}.${extension}" href="data:${type};base64,${Buffer.from(bytes).toString("base64")}">${extension.toUpperCase()}</a>`;
  return `<span class="files">${link("svg", "image/svg+xml", toSvg(print))} ${link("pdf", "application/pdf", toPdf([print]))}</span>`;
}

function drawPlot(plot: Plot): string {
  switch (plot.type) {
    case "intervals":
      return drawIntervals(plot);
    case "lines":
      return drawLines(plot);
    case "histogram":
      return drawHistogram(plot);
    case "heat-map":
      return drawHeatMap(plot);
    case "reliability":
      return drawReliability(plot);
    case "latency":
      return drawLatency(plot);
  }
}

const drawFactBlock = ({ rows, empty }: Facts): string =>
  rows.length === 0 ? `<p>${escapeHtml(empty)}</p>` : drawFacts(rows);

function drawTable(table: Table, number: Numbers): string {
  if (table.page === undefined) return "";
  const { layout, isShown = () => true, isFolded = () => false } = table.page;
  const rows = [...table.rows()].filter(isShown);
  if (layout !== "facts" && rows.length === 0) return "";
  const title = `${table.name[0]!.toUpperCase()}${table.name.slice(1)}`;
  if (layout === "captioned") {
    return drawCaptioned("table", number("table"), drawRows(table, rows), title, escapeHtml(table.note ?? ""));
  }
  if (layout === "folded") {
    return `<details class="more"><summary>${escapeHtml(title)}</summary>${drawRows(table, rows)}</details>\n`;
  }
  const visible = rows.filter((row, at) => !isFolded(row, at));
  const folded = [...visible.slice(MAX_VISIBLE_FACTS), ...rows.filter(isFolded)];
  const more = `<details class="more"><summary>${folded.length} more</summary>${drawFacts(folded.map(toFact))}</details>`;
  return drawFacts(visible.slice(0, MAX_VISIBLE_FACTS).map(toFact)) + (folded.length === 0 ? "" : more);
}

function toFact([name, value]: readonly TableCell[]): [Value, Value] {
  const plain = (cell: TableCell | undefined) => (cell === undefined ? null : isEstimate(cell) ? cell.value : cell);
  return [plain(name), plain(value)];
}

function drawRows({ columns }: Table, rows: readonly (readonly TableCell[])[]): string {
  const side = (at: number) => ((columns[at]!.format ?? "text") === "text" ? "" : ' class="num"');
  const heads = columns.map((column, at) => `<th${side(at)}>${escapeHtml(columnTitle(column))}</th>`);
  const body = rows.map((row) => {
    const cells = row.map((cell, at) => {
      const text = escapeHtml(showCell(cell, columns[at]!));
      return at === 0 ? `<th scope="row">${text}</th>` : `<td${side(at)}>${text}</td>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll"><table class="plot"><thead><tr>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

const CLASSES: Readonly<Record<string, string>> = { keyword: "k", string: "s", comment: "c", number: "n", magic: "n" };

/** Maximum characters shown of a cell. */
const MAX_CHARACTERS = 4_000;

/** Each example can be folded away; its texts are side by side. */
function drawExamples({ list, open }: Examples): string {
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

function drawText({ about, code, facts, rating, isRelevant, isFolded }: ExampleText): string {
  const body = facts === undefined ? drawCode(code) : drawFacts(facts);
  if (about === undefined) return body;
  const miss = rating !== undefined && isRelevant === false ? " miss" : "";
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
  let highlightedTo = 0;
  for (const { kind, text, start, end } of tokenize(shown)) {
    const name = CLASSES[kind];
    if (name === undefined) continue;
    html += `${escapeHtml(shown.slice(highlightedTo, start))}<span class="${name}">${escapeHtml(text)}</span>`;
    highlightedTo = end;
  }
  return `<pre tabindex="0">${html}${escapeHtml(shown.slice(highlightedTo))}</pre>`;
}

/** Names and values, one line each. */
function drawFacts(rows: readonly (readonly [name: Value, value: Value])[]): string {
  const lines = rows.map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(String(name))}</th><td>${escapeHtml(String(value ?? ""))}</td></tr>`,
  );
  return `<table class="facts"><tbody>${lines.join("")}</tbody></table>`;
}
