import { escapeHtml, showCount, showNumber } from "./text.js";

/** Probabilities of one thing, in bins. */
export interface Reliability {
  readonly name: string;
  readonly ece: number;
  readonly bins: readonly ReliabilityBin[];
}

export interface ReliabilityBin {
  readonly count: number;
  /** Mean probability, and the share that came true; null where the bin is empty. */
  readonly probability: number | null;
  readonly share: number | null;
}

/** How a dot is said: "12 cells of probability .4: .5 have it". */
export interface ReliabilityWords {
  readonly one: string;
  readonly of: string;
  readonly cameTrue: string;
  /** Names of the axes, where the plots are large enough for them. */
  readonly axes?: readonly [x: string, y: string];
}

const SIZE = 150;
const ROOM = 22;
/** A bin of few cells says little: its dot is small. */
const DOTS = { least: 2.2, most: 8 };
/** Of large plots, where dots may be smaller and have the number behind them beside them. */
const LARGE_DOTS = { least: 1.2, most: 4 };

const x = (value: number) => round(ROOM + value * (SIZE - 8 - ROOM));
const y = (value: number) => round(8 + (1 - value) * (SIZE - 8 - ROOM));

/** One square each: the share that came true over the mean probability. On the diagonal both agree. */
export function reliabilityPlots(plots: readonly Reliability[], words: ReliabilityWords): string {
  const drawn = plots.map((plot) => drawPlot(plot, words));
  return `<div class="multiples${words.axes === undefined ? "" : " large"}">${drawn.join("")}</div>`;
}

function drawPlot({ name, ece, bins }: Reliability, words: ReliabilityWords): string {
  const { axes } = words;
  const frame = [0, 0.5, 1].map(
    (value) =>
      `<line class="grid" x1="${x(0)}" x2="${x(1)}" y1="${y(value)}" y2="${y(value)}"/><line class="grid" x1="${x(value)}" x2="${x(value)}" y1="${y(0)}" y2="${y(1)}"/>`,
  );
  const ticks = (axes === undefined ? [0, 1] : [0, 0.5, 1]).map(
    (value) =>
      `<text x="${x(value)}" y="${axes === undefined ? SIZE - 2 : y(0) + 8}" text-anchor="middle">${value}</text><text x="${ROOM - (axes === undefined ? 7 : 3)}" y="${y(value) + (axes === undefined ? 4 : 2)}" text-anchor="end">${value}</text>`,
  );
  const spoken = escapeHtml(`${name}: calibration error ${showNumber(ece)}`);
  return `<div><p>${escapeHtml(name)} <small>${axes === undefined ? "" : "calibration error "}${showNumber(ece)}</small></p><svg viewBox="0 0 ${SIZE} ${SIZE}" width="100%" role="img" aria-label="${spoken}">${frame.join("")}<line class="diagonal" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>${ticks.join("")}${axes === undefined ? "" : axisNames(axes)}${drawBins(bins, words)}</svg></div>`;
}

function axisNames([across, up]: readonly [string, string]): string {
  const turned = `x="5" y="${y(0.5)}" transform="rotate(-90 5 ${y(0.5)})"`;
  return `<text x="${x(0.5)}" y="${SIZE - 4}" text-anchor="middle">${escapeHtml(across)}</text><text ${turned} text-anchor="middle">${escapeHtml(up)}</text>`;
}

/** Numbers come after all dots, so that none is hidden, and stand on the side of the diagonal where their dots are. */
function drawBins(bins: readonly ReliabilityBin[], words: ReliabilityWords): string {
  const { least, most } = words.axes === undefined ? DOTS : LARGE_DOTS;
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const [dots, numbers]: [string[], string[]] = [[], []];
  for (const { probability, share, count } of bins) {
    if (probability === null || share === null) continue;
    const radius = round(least + (most - least) * Math.sqrt(count / total));
    const about = `${showCount(count, words.one)} of ${words.of} ${showNumber(probability)}: ${showNumber(share)} ${words.cameTrue}`;
    dots.push(
      `<circle class="bubble" cx="${x(probability)}" cy="${y(share)}" r="${radius}"><title>${escapeHtml(about)}</title></circle>`,
    );
    const below = share > probability ? -radius - 1.6 : radius + 4.6;
    numbers.push(`<text x="${x(probability)}" y="${round(y(share) + below)}" text-anchor="middle">${count}</text>`);
  }
  return dots.join("") + (words.axes === undefined ? "" : numbers.join(""));
}

const round = (value: number): number => Math.round(value * 10) / 10;
