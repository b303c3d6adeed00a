import type { ReliabilityBin, ReliabilityCurve, ReliabilityPlot } from "../description.js";
import { escapeHtml, roundCoordinate as round, showCount, showNumber } from "./format.js";

const SIZE = 150;
const MARGIN = 22;
/** Radius of a dot by the share of the cells in its bin. */
const DOTS = { min: 2.2, max: 8 };
/** In large plots, where the number of cells is written beside each dot. */
const LARGE_DOTS = { min: 1.2, max: 4 };

const x = (value: number) => round(MARGIN + value * (SIZE - 8 - MARGIN));
const y = (value: number) => round(8 + (1 - value) * (SIZE - 8 - MARGIN));

/** One square per curve: the share that came true over the mean probability. On the diagonal both agree. */
export function drawReliability(plot: ReliabilityPlot): string {
  const drawn = plot.curves.map((curve) => drawCurve(curve, plot));
  return `<div class="multiples${plot.axes === undefined ? "" : " large"}">${drawn.join("")}</div>`;
}

function drawCurve({ name, ece, bins }: ReliabilityCurve, plot: ReliabilityPlot): string {
  const { axes } = plot;
  const frame = [0, 0.5, 1].map(
    (value) =>
      `<line class="grid" x1="${x(0)}" x2="${x(1)}" y1="${y(value)}" y2="${y(value)}"/><line class="grid" x1="${x(value)}" x2="${x(value)}" y1="${y(0)}" y2="${y(1)}"/>`,
  );
  const ticks = (axes === undefined ? [0, 1] : [0, 0.5, 1]).map(
    (value) =>
      `<text x="${x(value)}" y="${axes === undefined ? SIZE - 2 : y(0) + 8}" text-anchor="middle">${value}</text><text x="${MARGIN - (axes === undefined ? 7 : 3)}" y="${y(value) + (axes === undefined ? 4 : 2)}" text-anchor="end">${value}</text>`,
  );
  const spoken = escapeHtml(`${name}: calibration error ${showNumber(ece)}`);
  return `<div><p>${escapeHtml(name)} <small>${axes === undefined ? "" : "calibration error "}${showNumber(ece)}</small></p><svg viewBox="0 0 ${SIZE} ${SIZE}" width="100%" role="img" aria-label="${spoken}">${frame.join("")}<line class="diagonal" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>${ticks.join("")}${axes === undefined ? "" : axisNames(axes)}${drawBins(bins, plot)}</svg></div>`;
}

function axisNames([across, up]: readonly [string, string]): string {
  const turned = `x="5" y="${y(0.5)}" transform="rotate(-90 5 ${y(0.5)})"`;
  return `<text x="${x(0.5)}" y="${SIZE - 4}" text-anchor="middle">${escapeHtml(across)}</text><text ${turned} text-anchor="middle">${escapeHtml(up)}</text>`;
}

/** Numbers are drawn after all dots, so that no dot covers one, on the dot's side of the diagonal. */
function drawBins(bins: readonly ReliabilityBin[], plot: ReliabilityPlot): string {
  const { min, max } = plot.axes === undefined ? DOTS : LARGE_DOTS;
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const [dots, numbers]: [string[], string[]] = [[], []];
  for (const { probability, share, count } of bins) {
    if (probability === null || share === null) continue;
    const radius = round(min + (max - min) * Math.sqrt(count / total));
    const about = `${showCount(count, plot.unit)} of ${plot.probabilityName} ${showNumber(probability)}: ${showNumber(share)} ${plot.outcome}`;
    dots.push(
      `<circle class="bubble" cx="${x(probability)}" cy="${y(share)}" r="${radius}"><title>${escapeHtml(about)}</title></circle>`,
    );
    const below = share > probability ? -radius - 1.6 : radius + 4.6;
    numbers.push(`<text x="${x(probability)}" y="${round(y(share) + below)}" text-anchor="middle">${count}</text>`);
  }
  return dots.join("") + (plot.axes === undefined ? "" : numbers.join(""));
}
