import type { Figures, Intervals } from "../document.js";
import { markLower } from "../metrics/index.js";

/** How a terminal marks what is less important; plain text elsewhere. */
export interface Pen {
  dim(text: string): string;
}

export interface FigureColumns {
  readonly figures: Figures;
  readonly ci95: Intervals;
  /** Figures to compare with, by the head of their column; a column without any is left out. */
  readonly beside?: Readonly<Record<string, Figures>>;
  /** Metrics of which less is better: it is said beside their names. */
  readonly lower?: readonly string[];
}

/** A table of figures for people: value, interval, and columns to compare with. */
export function figureLines({ figures, ci95, beside = {}, lower = [] }: FigureColumns, pen: Pen): string[] {
  const used = Object.entries(beside).filter(([, column]) => Object.keys(column).length > 0);
  const rows = Object.entries(figures).map(([metric, value]) => {
    const interval = ci95[metric];
    return [
      markLower(metric, lower.includes(metric) ? "lower" : "higher"),
      showFigure(value),
      interval === undefined ? "" : `${showFigure(interval[0])} - ${showFigure(interval[1])}`,
      ...used.map(([, column]) => showFigure(column[metric])),
    ];
  });
  return textTable(["metric", "value", "95 % interval", ...used.map(([name]) => name)], rows, pen);
}

/** Columns as wide as their widest text, two spaces apart. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[], pen: Pen): string[] {
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((text, at) => text.padEnd(widths[at]!))
      .join("  ")
      .trimEnd();
  return [pen.dim(line(head)), ...rows.map(line)];
}

export function showFigure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return value >= 10 ? value.toFixed(1) : value.toFixed(4);
}
