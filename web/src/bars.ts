import { element } from "./dom.js";

export interface BarRow {
  readonly name: string;
  /** The share, drawn as a bar if it is from 0 to 1; null if unknown. */
  readonly value: number | null;
  readonly interval?: readonly [number, number] | null | undefined;
  readonly note?: string;
  readonly isLowerBetter?: boolean;
}

/** A table of shares, each with a bar and its confidence interval; `show` writes a figure. */
export function renderBars(
  caption: string,
  head: string,
  rows: readonly BarRow[],
  heads: readonly [value: string, note: string] = ["value", "of"],
  show = showFigure,
): HTMLElement {
  const hasNotes = rows.some(({ note }) => note !== undefined);
  const body = rows.map(({ name, value, interval, note = "", isLowerBetter = false }) => {
    const width = interval == null ? "" : `${show(interval[0])} – ${show(interval[1])}`;
    return element(
      "tr",
      "",
      rowTitle(name, isLowerBetter),
      element("td", "wide", renderTrack(value, interval, isLowerBetter)),
      element("td", "number", value === null ? "–" : show(value)),
      element("td", "number quiet", width),
      ...(hasNotes ? [element("td", "number quiet", note)] : []),
    );
  });
  const titles = [
    element("th", "", head),
    element("td", "wide"),
    ...[heads[0], "95 % interval", ...(hasNotes ? [heads[1]] : [])].map((text) => element("th", "number", text)),
  ];
  return element(
    "table",
    "bars",
    element("caption", "", caption),
    element("thead", "", element("tr", "", ...titles)),
    element("tbody", "", ...body),
  );
}

/** The heading of a metric, marked if lower is better. */
export function rowTitle(name: string, isLowerBetter: boolean): HTMLElement {
  const title = element("th", "", name);
  title.setAttribute("scope", "row");
  if (isLowerBetter) title.append(" ", element("span", "lower", "lower is better"));
  return title;
}

/** Draws a bar whose length shows how good the value is. If lower is better, its length is 1 minus the value. */
export function renderTrack(
  value: number | null,
  interval: readonly [number, number] | null | undefined,
  isLowerBetter: boolean,
): HTMLElement {
  const track = element("span", isLowerBetter ? "track less" : "track");
  if (value === null || value < 0 || value > 1) return element("span", "");
  const bar = element("span", "share");
  bar.style.setProperty("--share", String(isLowerBetter ? 1 - value : value));
  track.append(bar);
  if (interval != null && interval[1] <= 1) {
    const range = element("span", "range");
    range.style.setProperty("--low", String(interval[0]));
    range.style.setProperty("--high", String(interval[1]));
    track.append(range);
  }
  return track;
}

export const showFigure = (value: number): string => (Math.abs(value) > 1 ? value.toFixed(1) : value.toFixed(3));
