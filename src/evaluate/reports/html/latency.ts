import type { Latency } from "../../document.js";
import { escapeHtml, percent } from "./text.js";

/** One line per stage: a dot at the median, a thick bar to p95, a thin one to p99. */
export function latencyPlot(latency: Latency): string {
  const stages = Object.entries(latency);
  const most = Math.max(...stages.map(([, { p99 }]) => p99), 1e-9);
  const at = (ms: number) => percent(0.012 + 0.976 * (ms / most));
  const rows = stages.map(([stage, { mean, p50, p95, p99, max }]) => {
    const line = (from: number, to: number, width: number) =>
      `<line class="range" x1="${at(from)}" x2="${at(to)}" y1="13" y2="13" style="stroke-width:${width}"/>`;
    const plot = `<svg width="100%" height="26" role="img" aria-label="${escapeHtml(`${stage}: median ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`)}">${line(p50, p99, 1.2)}${line(p50, p95, 4)}<circle class="dot" cx="${at(p50)}" cy="13" r="4.2"/></svg>`;
    const numbers = [p50, p95, p99].map((ms) => `<td class="num">${showMs(ms)}</td>`);
    const soft = [mean, max].map((ms) => `<td class="num soft">${showMs(ms)}</td>`);
    return `<tr><th scope="row">${escapeHtml(stage)}</th><td class="wide">${plot}</td>${numbers.join("")}${soft.join("")}</tr>`;
  });
  const head = ["p50", "p95", "p99"].map((name) => `<th class="num">${name}</th>`).join("");
  return `<table class="plot"><thead><tr><th></th><th></th>${head}<th class="num soft">mean</th><th class="num soft">max</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

const showMs = (ms: number): string => (ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2));
