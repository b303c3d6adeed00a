import type { HeatMap, HeatMapCell, Histogram, LatencyPlot } from "../description.js";
import { escapeHtml, percent } from "./format.js";

const BINS = 20;
const HISTOGRAM_HEIGHT = 110;

/** Twenty equal bins over 0..1; the last holds 1. Widths are shares, so it fits any screen. */
export function drawHistogram({ values, unit }: Histogram): string {
  const height = HISTOGRAM_HEIGHT;
  const counts = new Array<number>(BINS).fill(0);
  for (const value of values) counts[Math.min(BINS - 1, Math.max(0, Math.floor(value * BINS + 1e-9)))]! += 1;
  const max = Math.max(...counts, 1);
  const bars = counts.map((count, bin) => {
    const bar = Math.round((count / max) * (height - 18));
    const x = percent(bin / BINS + 0.004);
    const middle = percent((bin + 0.5) / BINS);
    const number =
      count === 0 ? "" : `<text x="${middle}" y="${height - bar - 5}" text-anchor="middle">${count}</text>`;
    return `<rect class="dot" x="${x}" y="${height - bar}" width="${percent(1 / BINS - 0.008)}" height="${bar}"><title>${bin / BINS} to ${(bin + 1) / BINS}: ${count} ${unit}</title></rect>${number}`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((value) => {
    const anchor = value === 0 ? "start" : value === 1 ? "end" : "middle";
    return `<text x="${percent(value)}" y="${height + 17}" text-anchor="${anchor}">${value}</text>`;
  });
  return `<svg width="100%" height="${height + 22}" role="img" aria-label="histogram of ${values.length} ${unit}"><line class="grid" x1="0" x2="100%" y1="${height}" y2="${height}"/>${bars.join("")}${ticks.join("")}</svg>`;
}

/** The stronger a cell, the darker. */
export function drawHeatMap({ columns, rows }: HeatMap): string {
  const heads = columns.map((name) => `<th scope="col">${escapeHtml(name)}</th>`);
  const body = rows.map(({ name, note, isMistake, cells }) => {
    const about = note === undefined ? "" : `<small>${escapeHtml(note)}</small>`;
    const colour = isMistake ? "--other" : "--accent";
    const drawn = cells.map((cell) => (cell === null ? '<td class="none">–</td>' : drawCell(cell, colour)));
    return `<tr><th scope="row">${escapeHtml(name)}${about}</th>${drawn.join("")}</tr>`;
  });
  return `<div class="scroll"><table class="heat"><thead><tr><th></th>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function drawCell({ strength, text, title }: HeatMapCell, colour: string): string {
  const ink = strength > 0.6 ? "var(--paper)" : "var(--ink)";
  const style = `background:color-mix(in oklab, var(${colour}) ${Math.round(8 + 84 * strength)}%, var(--paper));color:${ink}`;
  return `<td style="${style}" title="${escapeHtml(title)}">${escapeHtml(text)}</td>`;
}

/** One line per stage: a dot at the median, a thick bar to p95, a thin one to p99. */
export function drawLatency({ stages: byName }: LatencyPlot): string {
  const stages = Object.entries(byName);
  const max = Math.max(...stages.map(([, { p99 }]) => p99), 1e-9);
  const at = (ms: number) => percent(0.012 + 0.976 * (ms / max));
  const rows = stages.map(([stage, { mean, p50, p95, p99, max: slowest }]) => {
    const line = (from: number, to: number, width: number) =>
      `<line class="range" x1="${at(from)}" x2="${at(to)}" y1="13" y2="13" style="stroke-width:${width}"/>`;
    const plot = `<svg width="100%" height="26" role="img" aria-label="${escapeHtml(`${stage}: median ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`)}">${line(p50, p99, 1.2)}${line(p50, p95, 4)}<circle class="dot" cx="${at(p50)}" cy="13" r="4.2"/></svg>`;
    const numbers = [p50, p95, p99].map((ms) => `<td class="num">${showMs(ms)}</td>`);
    const soft = [mean, slowest].map((ms) => `<td class="num soft">${showMs(ms)}</td>`);
    return `<tr><th scope="row">${escapeHtml(stage)}</th><td class="wide">${plot}</td>${numbers.join("")}${soft.join("")}</tr>`;
  });
  const head = ["p50", "p95", "p99"].map((name) => `<th class="num">${name}</th>`).join("");
  return `<table class="plot"><thead><tr><th></th><th></th>${head}<th class="num soft">mean</th><th class="num soft">max</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

const showMs = (ms: number): string => (ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2));
