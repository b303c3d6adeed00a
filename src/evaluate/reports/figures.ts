import type { Figure, ReportDescription } from "./description.js";
import { drawPlot } from "./figure/draw-plot.js";
import { type Drawing, fitText, type Shape } from "./figure/drawing.js";
import { toPdf } from "./figure/pdf.js";
import { toSvg } from "./figure/svg.js";
import type { Report } from "./write-reports.js";

/** SVG: all figures in one picture, one below the other. */
export const svg: Report = {
  name: "svg",
  extensions: [".svg"],
  *render(_, describe) {
    const report = describe();
    yield toSvg(stackDrawings(drawFigures(report).map((one) => withTitle(one, report.title))));
  },
};

/** PDF: one page per figure. */
export const pdf: Report = {
  name: "pdf",
  extensions: [".pdf"],
  async *render(_, describe) {
    const report = describe();
    yield toPdf(drawFigures(report).map((one) => withTitle(one, report.title)));
  },
};

interface TitledDrawing {
  readonly title: string;
  readonly drawing: Drawing;
}

/** The figures of a report that have something to draw, in its order. */
export function drawFigures({ sections }: Pick<ReportDescription, "sections">): TitledDrawing[] {
  return sections
    .flatMap(({ blocks }) => blocks.filter((block): block is Figure => block.kind === "figure"))
    .flatMap((figure) => drawFigure(figure) ?? []);
}

function drawFigure({ title, plot }: Figure): TitledDrawing | null {
  const content = plot();
  return content === null ? null : { title, drawing: drawPlot(content) };
}

const TITLE_HEIGHT = 34;
const TITLE = { kind: "text", size: 11, color: "#1b1d21", isBold: true } as const;
const REPORT_TITLE = { kind: "text", size: 8, color: "#59606b" } as const;

/** Adds the title of the figure, and that of the report, which names the target. */
function withTitle({ title, drawing }: TitledDrawing, report: string): Drawing {
  const { width, height, shapes } = drawing;
  const head: Shape[] = [
    { ...TITLE, x: 0, y: 11, text: fitText(title, TITLE.size, width) },
    { ...REPORT_TITLE, x: 0, y: 22, text: fitText(report, REPORT_TITLE.size, width) },
  ];
  return {
    width,
    height: height + TITLE_HEIGHT,
    shapes: [...head, ...shapes.map((shape) => moveDown(shape, TITLE_HEIGHT))],
  };
}

const GAP = 18;

function stackDrawings(drawings: readonly Drawing[]): Drawing {
  const shapes: Shape[] = [];
  let height = 0;
  let width = 0;
  for (const one of drawings) {
    shapes.push(...one.shapes.map((shape) => moveDown(shape, height)));
    height += one.height + GAP;
    width = Math.max(width, one.width);
  }
  return { width, height: Math.max(0, height - GAP), shapes };
}

function moveDown(shape: Shape, by: number): Shape {
  return "points" in shape
    ? { ...shape, points: shape.points.map(([x, y]) => [x, y + by] as const) }
    : { ...shape, y: shape.y + by };
}
