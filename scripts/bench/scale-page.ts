import type { Figures } from "./scale-child.js";

interface Measured {
  readonly size: number;
  readonly figures: Figures;
}

const WIDTH = 420;
const HEIGHT = 220;
const MARGIN = { left: 60, right: 12, top: 12, bottom: 30 };

/** A self-contained page with a curve per figure over the number of cells. */
export function renderScalePage(measured: readonly Measured[]): string {
  const names = [...new Set(measured.flatMap(({ figures }) => Object.keys(figures)))].filter(
    (name) => name !== "cells",
  );
  const plots = names.map((name) => `<figure><figcaption>${name}</figcaption>${plot(measured, name)}</figure>`);
  return `<!doctype html><meta charset="utf-8"><title>celrec: how it grows</title>
<style>body{font:14px system-ui;margin:2em;display:grid;grid-template-columns:repeat(auto-fill,minmax(${WIDTH}px,1fr));gap:1.5em}
figure{margin:0}figcaption{font-weight:600}svg text{font-size:11px;fill:#555}</style>
${plots.join("\n")}
`;
}

/** The number of cells grows by factors, so its axis is logarithmic. The other axis starts at zero. */
function plot(measured: readonly Measured[], name: string): string {
  const points = measured
    .map(({ size, figures }) => ({ size, value: figures[name] ?? Number.NaN }))
    .filter(({ value }) => Number.isFinite(value));
  const [low, high] = [Math.min(...measured.map(({ size }) => size)), Math.max(...measured.map(({ size }) => size))];
  const max = Math.max(...points.map(({ value }) => value), 1e-9);
  const x = (size: number) =>
    MARGIN.left + ((Math.log(size / low) || 0) / (Math.log(high / low) || 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value: number) => HEIGHT - MARGIN.bottom - (value / max) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const path = points.map(
    ({ size, value }, at) => `${at === 0 ? "M" : "L"}${x(size).toFixed(1)},${y(value).toFixed(1)}`,
  );
  const marks = points.map(
    ({ size, value }) =>
      `<circle cx="${x(size).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3" fill="#06c"/>` +
      `<text x="${x(size).toFixed(1)}" y="${HEIGHT - 10}" text-anchor="middle">${size.toLocaleString("en")}</text>` +
      `<text x="${MARGIN.left - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${shorten(value)}</text>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" role="img" aria-label="${name}">
<path d="${path.join(" ")}" fill="none" stroke="#06c" stroke-width="2"/>${marks.join("")}</svg>`;
}

function shorten(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
