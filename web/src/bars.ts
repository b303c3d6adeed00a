import { element } from "./dom.js";

export interface BarRow {
  readonly name: string;
  /** From 0 to 1; null if unknown. */
  readonly value: number | null;
  readonly interval?: readonly [number, number] | null | undefined;
  readonly note?: string;
}

/** A table of shares, each with a bar and its confidence interval. */
export function renderBars(caption: string, head: string, rows: readonly BarRow[]): HTMLElement {
  const body = rows.map(({ name, value, interval, note = "" }) => {
    const track = element("span", "track");
    if (value !== null) {
      const bar = element("span", "share");
      bar.style.setProperty("--share", String(Math.min(1, Math.max(0, value))));
      track.append(bar);
    }
    if (interval != null) {
      const range = element("span", "range");
      range.style.setProperty("--low", String(interval[0]));
      range.style.setProperty("--high", String(interval[1]));
      track.append(range);
    }
    const title = element("th", "", name);
    title.setAttribute("scope", "row");
    const width = interval == null ? "" : `${show(interval[0])} – ${show(interval[1])}`;
    return element(
      "tr",
      "",
      title,
      element("td", "wide", track),
      element("td", "number", value === null ? "–" : show(value)),
      element("td", "number quiet", width),
      element("td", "number quiet", note),
    );
  });
  const titles = [
    element("th", "", head),
    element("td", "wide"),
    ...["share", "95 % interval", "of"].map((text) => element("th", "number", text)),
  ];
  return element(
    "table",
    "bars",
    element("caption", "", caption),
    element("thead", "", element("tr", "", ...titles)),
    element("tbody", "", ...body),
  );
}

const show = (value: number): string => value.toFixed(3);
