/**
 * The content of a report, described once and rendered by every format (terminal text, Markdown, HTML, csv, xlsx).
 *
 * To add a suite: write `suites/NAME/NAME-report.ts` with one function from its result (and the code for its ids) to
 * a `ReportDescription`, by calling `describeResult` (describe-result.ts), and set it as `describe` of the suite.
 * Tables go to every format; `terminal` and `page` on a table say whether people see it there too. Figures and examples
 * are for the page.
 *
 * To add a format: write one `Report` (report.ts) that walks over the sections, and list it in index.ts.
 */
export interface ReportDescription {
  readonly title: string;
  /** One or two sentences on what was measured. */
  readonly lead: string;
  /** The figures at the top of the page. */
  readonly headline: readonly HeadlineFigure[];
  readonly sections: readonly Section[];
}

export type Interval = readonly [low: number, high: number];

/** A figure with its 95 % interval, if it has one. */
export interface Estimate {
  readonly value: number | null;
  readonly interval?: Interval | null | undefined;
}

export interface HeadlineFigure extends Estimate {
  readonly name: string;
}

/** A chapter of the page; its tables are the sheets of a workbook. */
export interface Section {
  /** The anchor of the section on the page. */
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly blocks: readonly Block[];
  /** Whether the two blocks are shown side by side if the screen is wide enough. */
  readonly isPair?: boolean;
}

/**
 * A part of a section. Contents are functions, because a run can have 70,000 queries and most formats do not need all
 * of them.
 */
export type Block = Table | Figure | Facts | Examples;

export type Value = string | number | null;
export type TableCell = Value | Estimate;

export interface Column {
  readonly title: string;
  /**
   * The displayed format of values. In csv and xlsx they have full precision, and the ends of an interval have columns
   * of their own.
   */
  readonly format?: "text" | "count" | "figure" | "estimate";
  readonly better?: "higher" | "lower" | undefined;
}

export interface Table {
  readonly kind: "table";
  /** Name of the sheet, and heading in Markdown. */
  readonly name: string;
  readonly note?: string;
  /** The first column names the row. */
  readonly columns: readonly Column[];
  rows(): Iterable<readonly TableCell[]>;
  /** Set for a table with one row per query or case, which is only in csv and xlsx. */
  readonly isLong?: boolean;
  /** Whether Markdown shows all rows, without a limit. */
  readonly isComplete?: boolean;
  readonly terminal?: TerminalLayout;
  readonly page?: PageLayout;
}

/** How a table is shown on a terminal; a table without it is not shown there. */
interface TerminalLayout {
  /** `columns`: the table is transposed. `groups`: the first column is a heading above its rows. */
  readonly layout: "rows" | "columns" | "groups";
  /** Titles of the columns to show; all by default. */
  readonly columns?: readonly string[];
  /** Which rows to show; all by default. */
  isShown?(row: readonly TableCell[], index: number): boolean;
}

/** How a table is shown on the page: with number and caption, hidden until opened, or as plain names and values. */
interface PageLayout {
  readonly layout: "captioned" | "folded" | "facts";
  isShown?(row: readonly TableCell[], index: number): boolean;
  /** Rows that are folded away. */
  isFolded?(row: readonly TableCell[], index: number): boolean;
}

export interface Figure {
  readonly kind: "figure";
  readonly title: string;
  readonly caption: string;
  /** Null if there is nothing to draw. */
  plot(): Plot | null;
}

/** Names and values that are only shown, not exported. */
export interface Facts {
  readonly kind: "facts";
  readonly rows: readonly (readonly [name: string, value: Value])[];
  /** The text to show if there are no names and values. */
  readonly empty: string;
}

/** Cases to look at, each with its texts side by side. */
export interface Examples {
  readonly kind: "examples";
  list(): readonly Example[];
  /** Number of examples that are unfolded when the page is opened. */
  readonly open: number;
  /** Number of examples shown on a terminal; none by default. */
  readonly terminal?: number;
}

export interface Example {
  readonly name: string;
  readonly about: string;
  readonly sides: readonly ExampleSide[];
}

export interface ExampleSide {
  readonly title: string;
  /** Shown if there are no texts. */
  readonly empty?: string;
  readonly texts: readonly ExampleText[];
}

export interface ExampleText {
  readonly about?: string;
  /** Undefined if the text is not available. */
  readonly code?: string | undefined;
  /** A text shown instead of code. */
  readonly facts?: readonly (readonly [name: string, value: Value])[];
  readonly rating?: number;
  readonly isRelevant?: boolean;
  readonly isFolded?: boolean;
}

export type Plot = IntervalPlot | LinePlot | Histogram | HeatMap | ReliabilityPlot | LatencyPlot;

/** One line per row: a dot with its 95 % interval. */
export interface IntervalPlot {
  readonly type: "intervals";
  readonly rows: readonly IntervalRow[];
  /** 0 to 1 by default. */
  readonly axis?: { readonly min?: number; readonly max?: number };
  /** The name of the value; by default `mean`. */
  readonly valueName?: string;
  /** Name of the published figures, for the legend. */
  readonly publishedName?: string | undefined;
  /** Name of the baseline, for the legend. */
  readonly baselineName?: string | undefined;
}

export interface IntervalRow extends Estimate {
  readonly name: string;
  /** Shown small next to the name. */
  readonly note?: string;
  /** The ceiling: the best possible value of any recommender. */
  readonly ceiling?: number | null | undefined;
  readonly published?: number | null | undefined;
  readonly baseline?: number | null | undefined;
  /** `quiet` for reference rows, `hollow` for a second figure of the row above. */
  readonly look?: "quiet" | "hollow" | "quiet hollow";
}

/** Values over whole numbers; the first series is drawn with its intervals. */
export interface LinePlot {
  readonly type: "lines";
  readonly series: readonly Series[];
  /** The number of queries (or other units) behind each point. */
  readonly counts: readonly { readonly x: number; readonly count: number }[];
  readonly axisName: string;
  readonly unit: string;
  /** 0 to 1 by default. */
  readonly axis?: { readonly max?: number };
  /** Whether the x axis is logarithmic. */
  readonly isLog?: boolean;
}

export interface Series {
  readonly name: string;
  readonly points: readonly SeriesPoint[];
}

interface SeriesPoint {
  readonly x: number;
  readonly y: number;
  readonly interval?: Interval | undefined;
}

/** A histogram of values in 0..1 with twenty bins. */
export interface Histogram {
  readonly type: "histogram";
  readonly values: readonly number[];
  readonly unit: string;
}

export interface HeatMap {
  readonly type: "heat-map";
  readonly columns: readonly string[];
  readonly rows: readonly HeatMapRow[];
}

interface HeatMapRow {
  readonly name: string;
  readonly note?: string;
  /** Whether high values are mistakes, drawn in another colour. */
  readonly isMistake?: boolean;
  /** Null for an empty cell. */
  readonly cells: readonly (HeatMapCell | null)[];
}

export interface HeatMapCell {
  /** The strength of the colour, 0 to 1. */
  readonly strength: number;
  readonly text: string;
  readonly title: string;
}

/** Calibration curves, one square each: the share that came true over the mean probability. */
export interface ReliabilityPlot {
  readonly type: "reliability";
  readonly curves: readonly ReliabilityCurve[];
  /** The text of a dot for screen readers: "12 cells of probability .4: .5 have it". */
  readonly unit: string;
  readonly probabilityName: string;
  readonly outcome: string;
  /** Names of the axes; with them the squares are large. */
  readonly axes?: readonly [x: string, y: string];
}

export interface ReliabilityCurve {
  readonly name: string;
  readonly ece: number;
  readonly bins: readonly ReliabilityBin[];
}

export interface ReliabilityBin {
  readonly count: number;
  /** Mean probability, and the share that came true; null if the bin is empty. */
  readonly probability: number | null;
  readonly share: number | null;
}

/** Milliseconds by stage. */
export interface LatencyPlot {
  readonly type: "latency";
  readonly stages: Readonly<Record<string, Readonly<Record<"mean" | "p50" | "p95" | "p99" | "max", number>>>>;
}

export const isEstimate = (cell: TableCell): cell is Estimate => typeof cell === "object" && cell !== null;

/** All tables of a description, in the order of its sections. */
export function tablesOf({ sections }: Pick<ReportDescription, "sections">): Table[] {
  return sections.flatMap(({ blocks }) => blocks.filter((block): block is Table => block.kind === "table"));
}

/** The displayed title of a column. */
export const columnTitle = ({ title, better }: Column): string =>
  better === "lower" ? `${title} (lower is better)` : title;

/**
 * The heads and rows of a table as plain values, for formats read by programs. An estimate takes three columns: the
 * value, `low` and `high`. If a table has several estimates, the names of the ends start with the name of the estimate.
 */
export function flattenTable({ columns, rows }: Pick<Table, "columns" | "rows">): {
  readonly heads: readonly string[];
  rows(): Iterable<Value[]>;
} {
  const isOnly = columns.filter(({ format }) => format === "estimate").length === 1;
  return {
    heads: columns.flatMap((column) => {
      if (column.format !== "estimate") return [columnTitle(column)];
      const prefix = isOnly ? "" : `${column.title} `;
      return [columnTitle(column), `${prefix}low`, `${prefix}high`];
    }),
    *rows() {
      for (const row of rows()) yield row.flatMap((cell, at) => flattenCell(cell, columns[at]!));
    },
  };
}

function flattenCell(cell: TableCell, { format }: Column): Value[] {
  const value = isEstimate(cell) ? cell.value : cell;
  if (format !== "estimate") return [value];
  const [low, high] = (isEstimate(cell) ? cell.interval : null) ?? [null, null];
  return [value, low, high];
}

/** The displayed text of a cell; the interval of an estimate follows in brackets. */
export function showCell(cell: TableCell, { format }: Column): string {
  if (isEstimate(cell)) return `${showFigure(cell.value)}${showInterval(cell.interval)}`;
  if (typeof cell === "number") return format === "figure" || format === "estimate" ? showFigure(cell) : String(cell);
  return cell ?? "";
}

/** Four decimals; one from ten on. */
export function showFigure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return fixed(value, 4);
}

/** With one decimal from ten on, and without the sign of a zero. */
function fixed(value: number, decimals: number): string {
  const text = value.toFixed(Math.abs(value) >= 10 ? 1 : decimals);
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}

function showInterval(interval: Interval | null | undefined): string {
  if (interval === null || interval === undefined) return "";
  const [low, high] = interval.map((end) => fixed(end, 3));
  return ` [${low}, ${high}]`;
}

/** Columns of text, of numbers, of figures, of figures with intervals. */
export const textColumn = (title: string): Column => ({ title });
export const countColumn = (title: string): Column => ({ title, format: "count" });
export const figureColumn = (title: string, better?: Column["better"]): Column => ({ title, format: "figure", better });
export const estimateColumn = (title: string, better?: Column["better"]): Column => ({
  title,
  format: "estimate",
  better,
});
