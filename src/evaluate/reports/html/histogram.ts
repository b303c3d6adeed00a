import { percent } from "./text.js";

const BINS = 20;
const HEIGHT = 110;

/** How many values of 0..1 fall into each of twenty equal bins; the last holds 1. Widths are shares, so it fits any screen. */
export function histogram(values: readonly number[], what: string): string {
  const counts = new Array<number>(BINS).fill(0);
  for (const value of values) counts[Math.min(BINS - 1, Math.max(0, Math.floor(value * BINS + 1e-9)))]! += 1;
  const most = Math.max(...counts, 1);
  const bars = counts.map((count, bin) => {
    const height = Math.round((count / most) * (HEIGHT - 18));
    const x = percent(bin / BINS + 0.004);
    const middle = percent((bin + 0.5) / BINS);
    const number =
      count === 0 ? "" : `<text x="${middle}" y="${HEIGHT - height - 5}" text-anchor="middle">${count}</text>`;
    return `<rect class="dot" x="${x}" y="${HEIGHT - height}" width="${percent(1 / BINS - 0.008)}" height="${height}"><title>${bin / BINS} to ${(bin + 1) / BINS}: ${count} ${what}</title></rect>${number}`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((value) => {
    const anchor = value === 0 ? "start" : value === 1 ? "end" : "middle";
    return `<text x="${percent(value)}" y="${HEIGHT + 17}" text-anchor="${anchor}">${value}</text>`;
  });
  return `<svg width="100%" height="${HEIGHT + 22}" role="img" aria-label="histogram of ${values.length} ${what}"><line class="grid" x1="0" x2="100%" y1="${HEIGHT}" y2="${HEIGHT}"/>${bars.join("")}${ticks.join("")}</svg>`;
}
