import { loadGrammar } from "../../python/grammar.js";
import {
  type Block,
  columnTitle,
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
import { drawExamples, drawFacts } from "./html/examples.js";
import { escapeHtml, showNumber } from "./html/format.js";
import { drawIntervals } from "./html/interval-plot.js";
import { drawLines } from "./html/line-plot.js";
import { drawReliability } from "./html/reliability-plot.js";
import { drawHeatMap, drawHistogram, drawLatency } from "./html/simple-plots.js";
import { STYLE } from "./html/style.js";
import type { Report } from "./report.js";

/** Rows of a table of facts that are always visible; the others fold away. */
const MAX_VISIBLE_FACTS = 60;

/** One page that needs nothing else: plots as inline SVG, no scripts, light and dark, printable. */
export const html: Report = {
  name: "html",
  extensions: [".html", ".htm"],
  async *render(_, describe) {
    // Code is coloured by our own lexer, which asks the parser about magics.
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
  const number = createFigureNumbers();
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

/** Figures count from 1, in the order they are drawn. */
function createFigureNumbers(): () => number {
  let number = 0;
  return () => {
    number += 1;
    return number;
  };
}

function drawSection({ id, title, note, blocks, isPair }: Section, number: () => number): string {
  const body = blocks.map((block) => drawBlock(block, number)).join("");
  if (body === "") return "";
  const about = note === undefined ? "" : `<p>${escapeHtml(note)}</p>`;
  return `<section id="${escapeHtml(id)}"><h2>${escapeHtml(title)}</h2>${about}${isPair ? `<div class="pair">${body}</div>` : body}</section>\n`;
}

function drawBlock(block: Block, number: () => number): string {
  if (block.kind === "examples") return drawExamples(block);
  if (block.kind === "facts") return drawFactBlock(block);
  if (block.kind === "table") return drawTable(block, number);
  const plot = block.plot();
  return plot === null ? "" : drawFigure(drawPlot(plot), block.title, block.caption, number());
}

function drawFigure(body: string, title: string, caption: string, number: number): string {
  return `<figure id="figure-${number}">${body}<figcaption><b>Figure ${number}. ${escapeHtml(title)}.</b> ${escapeHtml(caption)}</figcaption></figure>\n`;
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

function drawTable(table: Table, number: () => number): string {
  if (table.page === undefined) return "";
  const { layout, isShown = () => true, isFolded = () => false } = table.page;
  const rows = [...table.rows()].filter(isShown);
  if (layout === "figure") {
    if (rows.length === 0) return "";
    const title = `${table.name[0]!.toUpperCase()}${table.name.slice(1)}`;
    return drawFigure(drawRows(table, rows), title, table.note ?? "", number());
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
