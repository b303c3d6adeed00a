import type { LabelFigures } from "../../results/labels.js";
import { escapeHtml, showCount, showLabel, showNumber } from "./text.js";

const SIZE = 150;
const ROOM = 22;
/** A bin of few cells says little: its dot is small. */
const LARGEST_DOT = 8;

/** One small square per label: the share that came true over the mean probability. On the diagonal both agree. */
export function reliabilityPlots(byLabel: readonly LabelFigures[]): string {
  const drawn = byLabel.filter(({ ece }) => ece !== null);
  return `<div class="multiples">${drawn.map(drawLabel).join("")}</div>`;
}

function drawLabel({ label, ece, calibration }: LabelFigures): string {
  const x = (value: number) => round(ROOM + value * (SIZE - 8 - ROOM));
  const y = (value: number) => round(8 + (1 - value) * (SIZE - 8 - ROOM));
  const total = calibration.reduce((sum, { cells }) => sum + cells, 0);
  const dots = calibration.flatMap(({ probability, share, cells }) => {
    if (probability === null || share === null) return [];
    const radius = round(2.2 + (LARGEST_DOT - 2.2) * Math.sqrt(cells / total));
    const about = `${showCount(cells, "cell")} of probability ${showNumber(probability)}: ${showNumber(share)} have it`;
    return [
      `<circle class="bubble" cx="${x(probability)}" cy="${y(share)}" r="${radius}"><title>${about}</title></circle>`,
    ];
  });
  const frame = [0, 0.5, 1].map(
    (value) =>
      `<line class="grid" x1="${x(0)}" x2="${x(1)}" y1="${y(value)}" y2="${y(value)}"/><line class="grid" x1="${x(value)}" x2="${x(value)}" y1="${y(0)}" y2="${y(1)}"/>`,
  );
  const ticks = [0, 1].map(
    (value) =>
      `<text x="${x(value)}" y="${SIZE - 2}" text-anchor="middle">${value}</text><text x="${ROOM - 7}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
  );
  const spoken = escapeHtml(`${showLabel(label)}: calibration error ${showNumber(ece)}`);
  return `<div><p>${escapeHtml(showLabel(label))} <small>${showNumber(ece)}</small></p><svg viewBox="0 0 ${SIZE} ${SIZE}" width="100%" role="img" aria-label="${spoken}">${frame.join("")}<line class="diagonal" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>${ticks.join("")}${dots.join("")}</svg></div>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
