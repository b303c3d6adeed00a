import type { LinePlot, Series } from "../description.js";
import { escapeHtml, roundCoordinate as round, showNumber } from "./format.js";

const WIDTH = 860;
const HEIGHT = 400;
const BOX = { left: 40, right: 138, top: 14, bottom: 92 };
/** Height of the strip of bars below the axis. */
const STRIP = 38;
const CLASSES = ["first", "other", "third"];

/**
 * The first series is the main one: it has the band of its interval. Below the
 * axis, the number of queries (or other units) of each point.
 */
export function drawLines({ series, counts, axisName, unit }: LinePlot): string {
  const xs = counts.map(({ x }) => x);
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const inner = WIDTH - BOX.left - BOX.right;
  const floor = HEIGHT - BOX.bottom;
  const x = (value: number) => BOX.left + 14 + (last === first ? 0.5 : (value - first) / (last - first)) * (inner - 28);
  const y = (value: number) => floor - value * (floor - BOX.top);
  const step = Math.max(1, Math.ceil((last - first) / 20));
  const parts = [
    ...[0, 0.25, 0.5, 0.75, 1].map(
      (value) =>
        `<line class="grid" x1="${BOX.left}" x2="${WIDTH - BOX.right}" y1="${y(value)}" y2="${y(value)}"/><text x="${BOX.left - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
    ),
    ...countRange(first, last, step).map(
      (value) => `<text x="${round(x(value))}" y="${floor + 18}" text-anchor="middle">${value}</text>`,
    ),
    ...countBars(counts, unit, x, floor + 28, inner / (last - first + 1)),
    `<text x="${(BOX.left + WIDTH - BOX.right) / 2}" y="${HEIGHT - 4}" text-anchor="middle">${escapeHtml(axisName)}; bars: ${unit}</text>`,
    ...series.map((one, at) => drawSeries(one, CLASSES[at] ?? "third", x, y, at === 0)),
    ...endLabels(series, x(last) + 12, y),
  ];
  return `<div class="scroll"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="100%" style="min-width:40rem" role="img" aria-label="${escapeHtml(`${series.map(({ name }) => name).join(", ")} by ${axisName}`)}">${parts.join("")}</svg></div>`;
}

function drawSeries(
  { name, points }: Series,
  kind: string,
  x: (v: number) => number,
  y: (v: number) => number,
  isFirst: boolean,
): string {
  const path = points.map((point, at) => `${at === 0 ? "M" : "L"}${round(x(point.x))} ${round(y(point.y))}`).join("");
  if (!isFirst) return `<path class="line ${kind}" d="${path}"/>`;
  const edge = (side: 0 | 1) => points.map((p) => `${round(x(p.x))} ${round(y(p.interval?.[side] ?? p.y))}`);
  const dots = points.map((p) => {
    const spoken = `${name}, ${p.x}: ${showNumber(p.y)}${p.interval === undefined ? "" : ` (${showNumber(p.interval[0])} to ${showNumber(p.interval[1])})`}`;
    return `<circle class="dot" cx="${round(x(p.x))}" cy="${round(y(p.y))}" r="3.4"><title>${escapeHtml(spoken)}</title></circle>`;
  });
  return `<path class="band" d="M${[...edge(0), ...edge(1).reverse()].join("L")}Z"/><path class="line ${kind}" d="${path}"/>${dots.join("")}`;
}

function countBars(
  counts: readonly { x: number; count: number }[],
  unit: string,
  x: (v: number) => number,
  top: number,
  room: number,
): string[] {
  const max = Math.max(...counts.map(({ count }) => count));
  const width = Math.max(2, Math.min(24, room * 0.62));
  return counts.map(({ x: value, count }) => {
    const height = Math.max(1, (count / max) * STRIP);
    return `<rect class="bar" x="${round(x(value) - width / 2)}" y="${top}" width="${round(width)}" height="${round(height)}"><title>${value}: ${count} ${unit}</title></rect>`;
  });
}

/** Names beside the ends of the lines, pushed apart where the ends are too near to each other. */
function endLabels(series: readonly Series[], x: number, y: (value: number) => number): string[] {
  const ends = series
    .map(({ name, points }, at) => ({ name, kind: CLASSES[at] ?? "third", y: y(points.at(-1)?.y ?? 0) + 4 }))
    .sort((a, b) => a.y - b.y);
  let free = Number.NEGATIVE_INFINITY;
  return ends.map((end) => {
    free = Math.max(end.y, free + 16);
    return `<text class="${end.kind}" x="${round(x)}" y="${round(free)}">${escapeHtml(end.name)}</text>`;
  });
}

function countRange(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + at * step);
}
