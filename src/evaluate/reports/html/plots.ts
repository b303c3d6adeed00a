import type {
  HeatMap,
  HeatMapCell,
  Histogram,
  IntervalPlot,
  IntervalRow,
  LatencyPlot,
  LinePlot,
  ReliabilityBin,
  ReliabilityCurve,
  ReliabilityPlot,
  Series,
} from "../description.js";
import { fitText, textWidth } from "../figure/drawing.js";
import { escapeHtml, percent, roundCoordinate as round, showCount, showNumber } from "./format.js";

const ROW_HEIGHT = 26;

/**
 * One line per row: the value is a dot, its interval a bar. Positions are shares of the width, so the plot fits any
 * screen.
 */
export function drawIntervals(plot: IntervalPlot): string {
  const { rows, axis = {}, valueName = "mean", baselineName } = plot;
  const { min = 0, max = 1 } = axis;
  const at = (value: number) => percent(0.012 + 0.976 * Math.min(1, Math.max(0, (value - min) / (max - min))));
  const withCeiling = rows.some(({ ceiling }) => ceiling !== undefined && ceiling !== null);
  const soft = (value: number | null | undefined) =>
    `<td class="num soft">${value == null ? "" : showNumber(value)}</td>`;
  const head = `<thead><tr><th></th><th>${drawAxis(at, min, max)}</th><th class="num">${escapeHtml(valueName)}</th><th class="num soft">95 % interval</th>${
    baselineName === undefined ? "" : `<th class="num soft">${escapeHtml(baselineName)}</th>`
  }${withCeiling ? '<th class="num soft">ceiling</th>' : ""}</tr></thead>`;
  const body = rows.map((row) => {
    const [low, high] = row.interval ?? [];
    const range = low === undefined ? "" : `${showNumber(low)} – ${showNumber(high)}`;
    const beside = `${baselineName === undefined ? "" : soft(row.baseline)}${withCeiling ? soft(row.ceiling) : ""}`;
    const note = row.note === undefined ? "" : ` <small>${escapeHtml(row.note)}</small>`;
    return `<tr><th scope="row">${escapeHtml(row.name)}${note}</th><td class="wide">${drawMarks(row, at)}</td><td class="num">${showNumber(row.value)}</td><td class="num soft">${range}</td>${beside}</tr>`;
  });
  const table = `<table class="plot">${head}<tbody>${body.join("")}</tbody></table>`;
  return table + drawLegend(plot, valueName, withCeiling);
}

function drawLegend({ publishedName, baselineName }: IntervalPlot, valueName: string, withCeiling: boolean): string {
  const sample = (marks: string) => `<svg width="26" height="14" aria-hidden="true">${marks}</svg>`;
  const parts = [
    `<span>${sample('<line class="range" x1="2" x2="24" y1="7" y2="7"/><circle class="dot" cx="13" cy="7" r="4.2"/>')}${escapeHtml(valueName)} and 95 % interval</span>`,
  ];
  if (withCeiling)
    parts.push(`<span>${sample('<line class="ceiling" x1="13" x2="13" y1="1" y2="13"/>')}ceiling</span>`);
  const further = [
    ['<circle class="baseline" cx="13" cy="7" r="3.4"/>', baselineName],
    ['<path class="published" d="M13 2 l5 5 l-5 5 l-5 -5 z"/>', publishedName],
  ] as const;
  for (const [marks, name] of further)
    if (name !== undefined) parts.push(`<span>${sample(marks)}${escapeHtml(name)}</span>`);
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
  { name, value, interval, ceiling, published, baseline, look }: IntervalRow,
  at: (value: number) => string,
): string {
  const middle = ROW_HEIGHT / 2;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const x = percent(0.012 + 0.976 * share);
    return `<line class="grid" x1="${x}" x2="${x}" y1="0" y2="${ROW_HEIGHT}"/>`;
  });
  const parts = [...grid];
  if (ceiling != null)
    parts.push(`<line class="ceiling" x1="${at(ceiling)}" x2="${at(ceiling)}" y1="6" y2="${ROW_HEIGHT - 6}"/>`);
  if (interval != null) {
    parts.push(`<line class="range" x1="${at(interval[0])}" x2="${at(interval[1])}" y1="${middle}" y2="${middle}"/>`);
  }
  if (published != null) {
    // Only a nested svg can have a position in percent and a shape of fixed size.
    parts.push(`<svg x="${at(published)}" y="${middle}"><path class="published" d="M0 -5 l5 5 l-5 5 l-5 -5 z"/></svg>`);
  }
  if (baseline != null) parts.push(`<circle class="baseline" cx="${at(baseline)}" cy="${middle}" r="3.4"/>`);
  if (value !== null)
    parts.push(`<circle class="dot" cx="${at(value)}" cy="${middle}" r="${look?.includes("hollow") ? 3.4 : 4.2}"/>`);
  const spoken = `${name}: ${showNumber(value)}${interval == null ? "" : `, 95 % interval ${showNumber(interval[0])} to ${showNumber(interval[1])}`}`;
  return `<svg class="${look ?? ""}" width="100%" height="${ROW_HEIGHT}" role="img" aria-label="${escapeHtml(spoken)}"><title>${escapeHtml(spoken)}</title>${parts.join("")}</svg>`;
}

const LINES_WIDTH = 860;
const LINES_HEIGHT = 400;
const LINES_MARGIN = { left: 40, right: 138, top: 14, bottom: 92 };
/** Height of the strip of bars below the axis. */
const COUNT_BARS_HEIGHT = 38;
/** Font size used to reserve space for the names of lines; larger than the actual 12, because fonts differ in width. */
const LABEL_SIZE = 14.5;
const SERIES_CLASSES = ["first", "other", "third", "fourth"];

/**
 * A line plot. The first series is the main one and has the band of its interval. Bars below the axis show the number
 * of queries (or other units) of each point.
 */
export function drawLines({ series, counts, axisName, unit, axis = {}, isLog }: LinePlot): string {
  const xs = counts.map(({ x }) => x);
  const { max = 1 } = axis;
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const share = isLog
    ? (value: number) => Math.log(value / first) / Math.log(last / first)
    : (value: number) => (value - first) / (last - first);
  const names = series.map(({ name }) => textWidth(name, LABEL_SIZE, true));
  const right =
    LINES_WIDTH - Math.min(LINES_WIDTH / 3, Math.max(LINES_MARGIN.right, ...names.map((width) => width + 24)));
  const inner = right - LINES_MARGIN.left;
  const floor = LINES_HEIGHT - LINES_MARGIN.bottom;
  const x = (value: number) => LINES_MARGIN.left + 14 + (last === first ? 0.5 : share(value)) * (inner - 28);
  const y = (value: number) => round(floor - (value / max) * (floor - LINES_MARGIN.top));
  const step = isLog ? 1 : Math.max(1, Math.ceil(xs.length / 20));
  const parts = [
    ...[0, 0.25, 0.5, 0.75, 1].map((quarter) => {
      const value = quarter * max;
      return `<line class="grid" x1="${LINES_MARGIN.left}" x2="${right}" y1="${y(value)}" y2="${y(value)}"/><text x="${LINES_MARGIN.left - 8}" y="${y(value) + 4}" text-anchor="end">${Number(value.toPrecision(3))}</text>`;
    }),
    ...xs
      .filter((_, at) => at % step === 0)
      .map((value) => `<text x="${round(x(value))}" y="${floor + 18}" text-anchor="middle">${value}</text>`),
    ...countBars(counts, unit, x, floor + 28, isLog ? inner / xs.length : inner / (last - first + 1)),
    `<text x="${(LINES_MARGIN.left + right) / 2}" y="${LINES_HEIGHT - 4}" text-anchor="middle">${escapeHtml(axisName)}; bars: ${unit}</text>`,
    ...series.map((one, at) => drawSeries(one, SERIES_CLASSES[at] ?? "fourth", x, y, at === 0)),
    ...endLabels(series, x(last) + 12, y, LINES_WIDTH - x(last) - 12),
  ];
  return `<div class="scroll"><svg viewBox="0 0 ${LINES_WIDTH} ${LINES_HEIGHT}" width="100%" style="min-width:40rem" role="img" aria-label="${escapeHtml(`${series.map(({ name }) => name).join(", ")} by ${axisName}`)}">${parts.join("")}</svg></div>`;
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
    const height = Math.max(1, (count / max) * COUNT_BARS_HEIGHT);
    return `<rect class="bar" x="${round(x(value) - width / 2)}" y="${top}" width="${round(width)}" height="${round(height)}"><title>${value}: ${count} ${unit}</title></rect>`;
  });
}

/** Names next to the ends of the lines, moved apart if they would overlap. */
function endLabels(series: readonly Series[], x: number, y: (value: number) => number, room: number): string[] {
  const ends = series
    .map(({ name, points }, at) => ({ name, kind: SERIES_CLASSES[at] ?? "fourth", y: y(points.at(-1)?.y ?? 0) + 4 }))
    .sort((a, b) => a.y - b.y);
  let free = Number.NEGATIVE_INFINITY;
  return ends.map((end) => {
    free = Math.max(end.y, free + 16);
    return `<text class="${end.kind}" x="${round(x)}" y="${round(free)}">${escapeHtml(fitText(end.name, LABEL_SIZE, room))}</text>`;
  });
}

const SQUARE_SIZE = 150;
const SQUARE_MARGIN = 22;
/** Radius of a dot by the share of the cells in its bin. */
const DOTS = { min: 2.2, max: 8 };
/** Radius in large plots, which have the number of cells beside each dot. */
const LARGE_DOTS = { min: 1.2, max: 4 };

const squareX = (value: number) => round(SQUARE_MARGIN + value * (SQUARE_SIZE - 8 - SQUARE_MARGIN));
const squareY = (value: number) => round(8 + (1 - value) * (SQUARE_SIZE - 8 - SQUARE_MARGIN));

/**
 * Calibration curves, one square each: the share that came true over the mean probability. On the diagonal both are
 * equal.
 */
export function drawReliability(plot: ReliabilityPlot): string {
  const drawn = plot.curves.map((curve) => drawCurve(curve, plot));
  return `<div class="multiples${plot.axes === undefined ? "" : " large"}">${drawn.join("")}</div>`;
}

function drawCurve({ name, ece, bins }: ReliabilityCurve, plot: ReliabilityPlot): string {
  const { axes } = plot;
  const frame = [0, 0.5, 1].map(
    (value) =>
      `<line class="grid" x1="${squareX(0)}" x2="${squareX(1)}" y1="${squareY(value)}" y2="${squareY(value)}"/><line class="grid" x1="${squareX(value)}" x2="${squareX(value)}" y1="${squareY(0)}" y2="${squareY(1)}"/>`,
  );
  const ticks = (axes === undefined ? [0, 1] : [0, 0.5, 1]).map(
    (value) =>
      `<text x="${squareX(value)}" y="${axes === undefined ? SQUARE_SIZE - 2 : squareY(0) + 8}" text-anchor="middle">${value}</text><text x="${SQUARE_MARGIN - (axes === undefined ? 7 : 3)}" y="${squareY(value) + (axes === undefined ? 4 : 2)}" text-anchor="end">${value}</text>`,
  );
  const spoken = escapeHtml(`${name}: calibration error ${showNumber(ece)}`);
  return `<div><p>${escapeHtml(name)} <small>${axes === undefined ? "" : "calibration error "}${showNumber(ece)}</small></p><svg viewBox="0 0 ${SQUARE_SIZE} ${SQUARE_SIZE}" width="100%" role="img" aria-label="${spoken}">${frame.join("")}<line class="diagonal" x1="${squareX(0)}" y1="${squareY(0)}" x2="${squareX(1)}" y2="${squareY(1)}"/>${ticks.join("")}${axes === undefined ? "" : axisNames(axes)}${drawBins(bins, plot)}</svg></div>`;
}

function axisNames([across, up]: readonly [string, string]): string {
  const turned = `x="5" y="${squareY(0.5)}" transform="rotate(-90 5 ${squareY(0.5)})"`;
  return `<text x="${squareX(0.5)}" y="${SQUARE_SIZE - 4}" text-anchor="middle">${escapeHtml(across)}</text><text ${turned} text-anchor="middle">${escapeHtml(up)}</text>`;
}

/** Draws dots, then their numbers, so that no dot covers a number. Numbers are on the dot's side of the diagonal. */
function drawBins(bins: readonly ReliabilityBin[], plot: ReliabilityPlot): string {
  const { min, max } = plot.axes === undefined ? DOTS : LARGE_DOTS;
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const [dots, numbers]: [string[], string[]] = [[], []];
  for (const { probability, share, count } of bins) {
    if (probability === null || share === null) continue;
    const radius = round(min + (max - min) * Math.sqrt(count / total));
    const about = `${showCount(count, plot.unit)} of ${plot.probabilityName} ${showNumber(probability)}: ${showNumber(share)} ${plot.outcome}`;
    dots.push(
      `<circle class="bubble" cx="${squareX(probability)}" cy="${squareY(share)}" r="${radius}"><title>${escapeHtml(about)}</title></circle>`,
    );
    const below = share > probability ? -radius - 1.6 : radius + 4.6;
    numbers.push(
      `<text x="${squareX(probability)}" y="${round(squareY(share) + below)}" text-anchor="middle">${count}</text>`,
    );
  }
  return dots.join("") + (plot.axes === undefined ? "" : numbers.join(""));
}

const HISTOGRAM_BINS = 20;
const HISTOGRAM_HEIGHT = 110;

/** Twenty equal bins over 0..1; the last bin includes 1. Widths are shares, so the plot fits any screen. */
export function drawHistogram({ values, unit }: Histogram): string {
  const height = HISTOGRAM_HEIGHT;
  const counts = new Array<number>(HISTOGRAM_BINS).fill(0);
  for (const value of values)
    counts[Math.min(HISTOGRAM_BINS - 1, Math.max(0, Math.floor(value * HISTOGRAM_BINS + 1e-9)))]! += 1;
  const max = Math.max(...counts, 1);
  const bars = counts.map((count, bin) => {
    const bar = Math.round((count / max) * (height - 18));
    const x = percent(bin / HISTOGRAM_BINS + 0.004);
    const middle = percent((bin + 0.5) / HISTOGRAM_BINS);
    const number =
      count === 0 ? "" : `<text x="${middle}" y="${height - bar - 5}" text-anchor="middle">${count}</text>`;
    return `<rect class="dot" x="${x}" y="${height - bar}" width="${percent(1 / HISTOGRAM_BINS - 0.008)}" height="${bar}"><title>${bin / HISTOGRAM_BINS} to ${(bin + 1) / HISTOGRAM_BINS}: ${count} ${unit}</title></rect>${number}`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((value) => {
    const anchor = value === 0 ? "start" : value === 1 ? "end" : "middle";
    return `<text x="${percent(value)}" y="${height + 17}" text-anchor="${anchor}">${value}</text>`;
  });
  return `<svg width="100%" height="${height + 22}" role="img" aria-label="histogram of ${values.length} ${unit}"><line class="grid" x1="0" x2="100%" y1="${height}" y2="${height}"/>${bars.join("")}${ticks.join("")}</svg>`;
}

/** Higher values are darker. */
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
