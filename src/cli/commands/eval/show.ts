import type { Figures, Intervals } from "../../../evaluate/results/common.js";
import type { Output } from "../../output.js";

/** A table of figures for people: value, interval, and columns to compare with. */
export function showFigures(
  output: Output,
  figures: Figures,
  ci95: Intervals,
  columns: Readonly<Record<string, Figures>>,
): void {
  const used = Object.entries(columns).filter(([, column]) => Object.keys(column).length > 0);
  output.line(
    output.dim(
      [
        "metric".padEnd(20),
        "value".padEnd(8),
        "95 % interval".padEnd(16),
        ...used.map(([name]) => name.padEnd(14)),
      ].join(""),
    ),
  );
  for (const [metric, value] of Object.entries(figures)) {
    const interval = ci95[metric];
    const range = interval === undefined ? "" : `${format(interval[0])} - ${format(interval[1])}`;
    const others = used.map(([, column]) => format(column[metric]).padEnd(14));
    output.line([metric.padEnd(20), format(value).padEnd(8), range.padEnd(16), ...others].join("").trimEnd());
  }
}

function format(value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return value >= 10 ? value.toFixed(1) : value.toFixed(4);
}
