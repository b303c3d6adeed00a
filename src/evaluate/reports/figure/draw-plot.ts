import type {
  HeatMap,
  Histogram,
  IntervalPlot,
  LatencyPlot,
  LinePlot,
  Plot,
  ReliabilityCurve,
  ReliabilityPlot,
} from "../description.js";
import { showNumber } from "../html/format.js";
import { type Drawing, fitText, type Point, type Shape, textWidth } from "./drawing.js";

const INK = "#1b1d21";
const SOFT = "#59606b";
const FAINT = "#8d95a1";
const RULE = "#dfe3e8";
const BAND = "#d5e0ee";
const MISTAKE = "#b3541e";
const SERIES = ["#1f5aa8", "#b3541e", "#5f7f4f", "#8a2f6b", "#3f7f8f", "#6b5b1f"];
const ACCENT = SERIES[0]!;

const FONT_SIZE = 9;
const WIDTH = 520;
const ROW_HEIGHT = 18;

/** Draws a plot of a report for print: dark on white, with names and values as text. */
export function drawPlot(plot: Plot): Drawing {
  switch (plot.type) {
    case "intervals":
      return drawIntervals(plot);
    case "lines":
      return drawLines(plot);
    case "histogram":
      return drawHistogram(plot);
    case "heat-map":
      return drawHeatMap(plot);
    case "reliability":
      return drawReliability(plot);
    case "latency":
      return drawLatency(plot);
  }
}

const label = (x: number, y: number, text: string, more: Partial<Extract<Shape, { kind: "text" }>> = {}): Shape => ({
  ...{ kind: "text", x, y, text, size: FONT_SIZE, color: SOFT },
  ...more,
});
const line = (points: readonly Point[], color = RULE, width = 0.6, dash?: readonly number[]): Shape => ({
  ...{ kind: "line", points, color, width },
  ...(dash && { dash }),
});

const QUARTERS = [0, 0.25, 0.5, 0.75, 1];
const tick = (value: number): string => String(Number(value.toPrecision(3)));

function drawIntervals({ rows, axis = {}, valueName = "mean", publishedName, baselineName }: IntervalPlot): Drawing {
  const { min = 0, max = 1 } = axis;
  const [left, right] = [170, WIDTH - 110];
  const x = (value: number) => left + Math.min(1, Math.max(0, (value - min) / (max - min))) * (right - left);
  const bottom = 16 + rows.length * ROW_HEIGHT;
  const shapes: Shape[] = [
    ...QUARTERS.flatMap((share) => {
      const value = min + share * (max - min);
      return [
        line([
          [x(value), 14],
          [x(value), bottom],
        ]),
        label(x(value), 10, tick(value), { anchor: "middle" }),
      ];
    }),
    label(WIDTH, 10, valueName, { anchor: "end" }),
  ];
  for (const [at, { name, note, value, interval, ceiling, published, baseline, look = "" }] of rows.entries()) {
    const y = 16 + (at + 0.5) * ROW_HEIGHT;
    const color = look.includes("quiet") ? FAINT : ACCENT;
    const title = note === undefined ? name : `${name} ${note}`.trim();
    shapes.push(label(0, y + 3, fitText(title, FONT_SIZE, left - 8), { color: INK }));
    if (ceiling != null)
      shapes.push(
        line(
          [
            [x(ceiling), y - 5],
            [x(ceiling), y + 5],
          ],
          INK,
          1,
        ),
      );
    if (interval != null)
      shapes.push(
        line(
          [
            [x(interval[0]), y],
            [x(interval[1]), y],
          ],
          color,
          1.5,
        ),
      );
    if (baseline != null) shapes.push({ kind: "dot", x: x(baseline), y, radius: 3, color: FAINT, isHollow: true });
    if (published != null) shapes.push({ kind: "dot", x: x(published), y, radius: 3, color: MISTAKE, isHollow: true });
    if (value !== null)
      shapes.push({
        kind: "dot",
        x: x(value),
        y,
        radius: 3,
        color,
        ...(look.includes("hollow") && { isHollow: true }),
      });
    const range = interval == null ? "" : ` [${showNumber(interval[0])}, ${showNumber(interval[1])}]`;
    shapes.push(label(WIDTH, y + 3, value === null ? "" : `${showNumber(value)}${range}`, { anchor: "end" }));
  }
  const dot = (at: number, color: string): Shape => ({
    kind: "dot",
    x: at,
    y: bottom + 11,
    radius: 3,
    color,
    isHollow: true,
  });
  const bar = (at: number): Shape => line([[at, bottom + 6], [at, bottom + 16]], INK, 1); // biome-ignore format: a pair per point
  const legend: [mark: (at: number) => Shape, name: string | undefined][] = [
    [bar, rows.some(({ ceiling }) => ceiling != null) ? "ceiling" : undefined],
    [(at) => dot(at, FAINT), baselineName],
    [(at) => dot(at, MISTAKE), publishedName],
  ];
  let at = left + 4;
  for (const [mark, name] of legend) {
    if (name === undefined) continue;
    shapes.push(mark(at), label(at + 8, bottom + 14, name));
    at += 24 + textWidth(name, FONT_SIZE);
  }
  return { width: WIDTH, height: bottom + (at === left + 4 ? 4 : 20), shapes };
}

function drawLines({ series, counts, axisName, axis = {}, isLog }: LinePlot): Drawing {
  const { max = 1 } = axis;
  const [left, right, top, floor] = [34, WIDTH - 120, 8, 200];
  const xs = counts.map((point) => point.x);
  const place = (value: number) => (isLog ? Math.log(value) : value);
  const [first, last] = [place(Math.min(...xs)), place(Math.max(...xs))];
  const x = (value: number) =>
    left + 8 + (last === first ? 0.5 : (place(value) - first) / (last - first)) * (right - left - 16);
  const y = (value: number) => floor - (value / max) * (floor - top);
  const shapes: Shape[] = QUARTERS.flatMap((share) => [
    line([
      [left, y(share * max)],
      [right, y(share * max)],
    ]),
    label(left - 4, y(share * max) + 3, tick(share * max), { anchor: "end" }),
  ]);
  const step = isLog ? 1 : Math.max(1, Math.ceil(xs.length / 20));
  for (const value of xs.filter((_, at) => at % step === 0))
    shapes.push(label(x(value), floor + 12, value.toLocaleString("en"), { anchor: "middle" }));
  shapes.push(label((left + right) / 2, floor + 26, axisName, { anchor: "middle", color: INK }));
  const [main] = series;
  if (main !== undefined && main.points.length > 0) {
    const edge = (side: 0 | 1) => main.points.map((p): Point => [x(p.x), y(p.interval?.[side] ?? p.y)]);
    shapes.push({ kind: "area", points: [...edge(0), ...edge(1).reverse()], color: BAND });
  }
  let free = Number.NEGATIVE_INFINITY;
  const ends = series
    .map(({ points }, at) => ({ at, y: y(points.at(-1)?.y ?? 0) + 3 }))
    .sort((a, b) => a.y - b.y)
    .map(({ at, y: wanted }) => {
      free = Math.max(wanted, free + 11);
      return { at, y: free };
    });
  for (const [at, { points }] of series.entries()) {
    const color = SERIES[at % SERIES.length]!;
    const dash = at === 0 ? undefined : [4, 2 + at];
    const path = points.map((p): Point => [x(p.x), y(p.y)]);
    shapes.push(line(path, color, at === 0 ? 1.6 : 1.1, dash));
    for (const [cx, cy] of path) shapes.push({ kind: "dot", x: cx, y: cy, radius: at === 0 ? 2.4 : 1.6, color });
  }
  for (const end of ends) {
    const name = fitText(series[end.at]!.name, FONT_SIZE, WIDTH - right - 8);
    shapes.push(label(right + 6, end.y, name, { color: SERIES[end.at % SERIES.length]! }));
  }
  return { width: WIDTH, height: floor + 32, shapes };
}

const BINS = 20;

function drawHistogram({ values, unit }: Histogram): Drawing {
  const counts = new Array<number>(BINS).fill(0);
  for (const value of values) counts[Math.min(BINS - 1, Math.floor(value * BINS))]! += 1;
  const [left, right, top, floor] = [34, WIDTH - 10, 10, 160];
  const max = Math.max(1, ...counts);
  const room = (right - left) / BINS;
  const shapes: Shape[] = counts.flatMap((count, at): Shape[] => {
    const height = (count / max) * (floor - top);
    if (count === 0) return [];
    return [{ kind: "box", x: left + at * room + 1, y: floor - height, width: room - 2, height, color: ACCENT }];
  });
  shapes.push(
    line(
      [
        [left, floor],
        [right, floor],
      ],
      FAINT,
      0.8,
    ),
  );
  for (const share of QUARTERS)
    shapes.push(label(left + share * (right - left), floor + 12, tick(share), { anchor: "middle" }));
  shapes.push(
    label(left - 4, top + 6, String(max), { anchor: "end" }),
    label(left + 2, floor + 26, unit, { color: INK }),
  );
  return { width: WIDTH, height: floor + 32, shapes };
}

function drawHeatMap({ columns, rows }: HeatMap): Drawing {
  const left = 150;
  const room = (WIDTH - left) / Math.max(1, columns.length);
  const size = FONT_SIZE - 2;
  const heads = columns.map((name) => twoLines(name, size, room - 2));
  const top = heads.some(([, second]) => second !== "") ? size + 2 : 0;
  const shapes: Shape[] = heads.flatMap((lines, at) =>
    lines
      .filter((text) => text !== "")
      .map((text, row, { length }) =>
        label(left + (at + 0.5) * room, 10 + top - (length - 1 - row) * (size + 2), text, { anchor: "middle", size }),
      ),
  );
  for (const [at, { name, isMistake, cells }] of rows.entries()) {
    const y = 16 + top + at * ROW_HEIGHT;
    shapes.push(label(0, y + 12, fitText(name, FONT_SIZE, left - 6), { color: INK }));
    for (const [column, cell] of cells.entries()) {
      if (cell === null) continue;
      const x = left + column * room;
      const color = mixWithWhite(isMistake ? MISTAKE : ACCENT, cell.strength);
      shapes.push(
        { kind: "box", x: x + 1, y: y + 1, width: room - 2, height: ROW_HEIGHT - 2, color },
        label(x + room / 2, y + 12, cell.text, { anchor: "middle", color: cell.strength > 0.55 ? "#ffffff" : INK }),
      );
    }
  }
  return { width: WIDTH, height: 20 + top + rows.length * ROW_HEIGHT, shapes };
}

/** A name of several words on two lines if one is too short for it; the second may be empty. */
function twoLines(name: string, size: number, width: number): [string, string] {
  const [first = "", ...rest] = name.split(" ");
  if (rest.length === 0 || textWidth(name, size) <= width) return [fitText(name, size, width), ""];
  return [fitText(first, size, width), fitText(rest.join(" "), size, width)];
}

/** Mixes a colour with white: 0 is white, 1 the colour itself. */
function mixWithWhite(hex: string, strength: number): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const mixed = parts.map((part) => Math.round(255 - (255 - part) * Math.min(1, Math.max(0, strength))));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function drawReliability({ curves, probabilityName, outcome }: ReliabilityPlot): Drawing {
  const side = 150;
  const perRow = 3;
  const shapes = curves.flatMap((curve, at) =>
    drawCurve(curve, (at % perRow) * (side + 24), Math.floor(at / perRow) * (side + 44), side),
  );
  const height = Math.ceil(curves.length / perRow) * (side + 44);
  shapes.push(label(0, height + 8, `x: ${probabilityName}; y: ${outcome}`));
  return { width: WIDTH, height: height + 14, shapes };
}

function drawCurve({ name, ece, bins }: ReliabilityCurve, left: number, top: number, side: number): Shape[] {
  const place = (probability: number, share: number): Point => [
    left + 20 + probability * (side - 20),
    top + 14 + (1 - share) * (side - 20),
  ];
  const points = bins.flatMap(({ probability, share }): Point[] =>
    probability === null || share === null ? [] : [place(probability, share)],
  );
  return [
    label(left + 20, top + 8, fitText(`${name}, ECE ${showNumber(ece)}`, FONT_SIZE - 1, side), {
      size: FONT_SIZE - 1,
      color: INK,
    }),
    line([place(0, 0), place(1, 0)], FAINT),
    line([place(0, 0), place(0, 1)], FAINT),
    line([place(0, 0), place(1, 1)], RULE, 0.8, [3, 3]),
    ...(points.length > 1 ? [line(points, ACCENT, 1.2)] : []),
    ...points.map(([x, y]): Shape => ({ kind: "dot", x, y, radius: 2.2, color: ACCENT })),
    label(place(0, 0)[0], place(0, 0)[1] + 11, "0", { anchor: "middle" }),
    label(place(1, 0)[0], place(1, 0)[1] + 11, "1", { anchor: "middle" }),
  ];
}

function drawLatency({ stages }: LatencyPlot): Drawing {
  const rows = Object.entries(stages);
  const max = Math.max(1e-3, ...rows.map(([, { p99 }]) => p99));
  const [left, right] = [110, WIDTH - 90];
  const x = (ms: number) => left + (ms / max) * (right - left);
  const shapes = rows.flatMap(([name, { p50, p95, p99 }], at): Shape[] => {
    const y = 8 + (at + 0.5) * ROW_HEIGHT;
    const bar = (to: number, width: number) =>
      line(
        [
          [x(p50), y],
          [x(to), y],
        ],
        ACCENT,
        width,
      );
    return [
      label(0, y + 3, fitText(name, FONT_SIZE, left - 8), { color: INK }),
      bar(p99, 1),
      bar(p95, 3),
      { kind: "dot", x: x(p50), y, radius: 3, color: ACCENT },
      label(WIDTH, y + 3, `${showNumber(p50)} / ${showNumber(p95)} / ${showNumber(p99)}`, { anchor: "end" }),
    ];
  });
  return { width: WIDTH, height: 12 + rows.length * ROW_HEIGHT, shapes };
}
