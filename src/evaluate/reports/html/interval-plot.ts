import type { IntervalPlot, IntervalRow } from "../description.js";
import { escapeHtml, percent, showNumber } from "./format.js";

const HEIGHT = 26;

/** One line per row: the value as a dot, its interval as a bar. Positions are shares of the width, so it fits any screen. */
export function drawIntervals({ rows, axis = {}, valueName = "mean", publishedName }: IntervalPlot): string {
  const { min = 0, max = 1 } = axis;
  const at = (value: number) => percent(0.012 + 0.976 * Math.min(1, Math.max(0, (value - min) / (max - min))));
  const withCeiling = rows.some(({ ceiling }) => ceiling !== undefined && ceiling !== null);
  const head = `<thead><tr><th></th><th>${drawAxis(at, min, max)}</th><th class="num">${escapeHtml(valueName)}</th><th class="num soft">95 % interval</th>${
    withCeiling ? '<th class="num soft">ceiling</th>' : ""
  }</tr></thead>`;
  const body = rows.map((row) => {
    const [low, high] = row.interval ?? [];
    const range = low === undefined ? "" : `${showNumber(low)} – ${showNumber(high)}`;
    const ceiling = withCeiling
      ? `<td class="num soft">${row.ceiling == null ? "" : showNumber(row.ceiling)}</td>`
      : "";
    const note = row.note === undefined ? "" : ` <small>${escapeHtml(row.note)}</small>`;
    return `<tr><th scope="row">${escapeHtml(row.name)}${note}</th><td class="wide">${drawMarks(row, at)}</td><td class="num">${showNumber(row.value)}</td><td class="num soft">${range}</td>${ceiling}</tr>`;
  });
  const table = `<table class="plot">${head}<tbody>${body.join("")}</tbody></table>`;
  return table + drawLegend(valueName, withCeiling, publishedName);
}

function drawLegend(valueName: string, withCeiling: boolean, published: string | undefined): string {
  const sample = (marks: string) => `<svg width="26" height="14" aria-hidden="true">${marks}</svg>`;
  const parts = [
    `<span>${sample('<line class="range" x1="2" x2="24" y1="7" y2="7"/><circle class="dot" cx="13" cy="7" r="4.2"/>')}${escapeHtml(valueName)} and 95 % interval</span>`,
  ];
  if (withCeiling)
    parts.push(`<span>${sample('<line class="ceiling" x1="13" x2="13" y1="1" y2="13"/>')}ceiling</span>`);
  if (published !== undefined) {
    parts.push(
      `<span>${sample('<path class="published" d="M13 2 l5 5 l-5 5 l-5 -5 z"/>')}${escapeHtml(published)}</span>`,
    );
  }
  return `<div class="legend">${parts.join("")}</div>`;
}

function drawAxis(at: (value: number) => string, min: number, max: number): string {
  const labels = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const value = min + share * (max - min);
    const text = String(Number(value.toPrecision(3)));
    return `<text x="${at(value)}" y="13" text-anchor="middle">${text}</text>`;
  });
  return `<svg width="100%" height="17" aria-hidden="true">${labels.join("")}</svg>`;
}

function drawMarks(
  { name, value, interval, ceiling, published, look }: IntervalRow,
  at: (value: number) => string,
): string {
  const middle = HEIGHT / 2;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const x = percent(0.012 + 0.976 * share);
    return `<line class="grid" x1="${x}" x2="${x}" y1="0" y2="${HEIGHT}"/>`;
  });
  const parts = [...grid];
  if (ceiling != null)
    parts.push(`<line class="ceiling" x1="${at(ceiling)}" x2="${at(ceiling)}" y1="6" y2="${HEIGHT - 6}"/>`);
  if (interval != null) {
    parts.push(`<line class="range" x1="${at(interval[0])}" x2="${at(interval[1])}" y1="${middle}" y2="${middle}"/>`);
  }
  if (published != null) {
    // Only a nested svg can have a position in percent and a shape of fixed size.
    parts.push(`<svg x="${at(published)}" y="${middle}"><path class="published" d="M0 -5 l5 5 l-5 5 l-5 -5 z"/></svg>`);
  }
  if (value !== null)
    parts.push(`<circle class="dot" cx="${at(value)}" cy="${middle}" r="${look?.includes("hollow") ? 3.4 : 4.2}"/>`);
  const spoken = `${name}: ${showNumber(value)}${interval == null ? "" : `, 95 % interval ${showNumber(interval[0])} to ${showNumber(interval[1])}`}`;
  return `<svg class="${look ?? ""}" width="100%" height="${HEIGHT}" role="img" aria-label="${escapeHtml(spoken)}"><title>${escapeHtml(spoken)}</title>${parts.join("")}</svg>`;
}
