import {
  type Column,
  columnTitle,
  type Estimate,
  type Examples,
  type Facts,
  type Interval,
  isEstimate,
  type ReportDescription,
  showCell,
  showFigure,
  type Table,
  type TableCell,
} from "./description.js";

/** Dims text on a terminal; leaves it unchanged elsewhere. */
interface TextStyle {
  /** Characters per line; unlimited if unknown. */
  readonly width?: number | undefined;
  dim(text: string): string;
}

const EXAMPLE_LINES = 6;

/** The report for the terminal, line by line. */
export function* renderText({ lead, sections }: ReportDescription, style: TextStyle): Generator<string> {
  yield lead;
  let isFirst = true;
  for (const block of sections.flatMap(({ blocks }) => blocks)) {
    const lines = blockLines(block, style);
    if (lines.length === 0) continue;
    if (!isFirst) yield "";
    yield* lines;
    isFirst = false;
  }
}

function blockLines(block: ReportDescription["sections"][number]["blocks"][number], style: TextStyle): string[] {
  if (block.kind === "table") return block.terminal === undefined ? [] : tableLines(block, style);
  if (block.kind === "facts") return factLines(block);
  return block.kind === "examples" ? exampleLines(block, style) : [];
}

/** The part of a table that is shown on a terminal. */
export function tableLines(table: Table, style: TextStyle): string[] {
  const { layout = "rows", columns: titles, isShown = () => true } = table.terminal ?? {};
  const indexes = [...table.columns.keys()].filter(
    (at) => at === 0 || titles === undefined || titles.includes(table.columns[at]!.title),
  );
  const columns = indexes.map((at) => table.columns[at]!);
  const rows = [...table.rows()].filter(isShown).map((row) => indexes.map((at) => row[at]!));
  if (rows.length === 0) return [];
  if (layout === "columns") return transposedLines(columns, rows, style);
  if (layout === "groups") return groupLines(columns, rows, style);
  return rowLines(columns, rows, style);
}

/** The rows below each name of the first column. */
function groupLines(columns: readonly Column[], rows: readonly (readonly TableCell[])[], style: TextStyle): string[] {
  const groups = new Map<string, (readonly TableCell[])[]>();
  for (const [name, ...row] of rows) groups.set(String(name), [...(groups.get(String(name)) ?? []), row]);
  return [...groups].flatMap(([name, members], at) => [
    ...(at === 0 ? [] : [""]),
    name,
    ...rowLines(columns.slice(1), members, style),
  ]);
}

function rowLines(columns: readonly Column[], rows: readonly (readonly TableCell[])[], style: TextStyle): string[] {
  const isOnly = columns.filter(({ format }) => format === "estimate").length === 1;
  const heads = columns.flatMap((column) => [
    columnTitle(column),
    ...(isOnly && column.format === "estimate" ? [INTERVAL] : []),
  ]);
  const texts = rows.map((row) =>
    row.flatMap((cell, at) =>
      isOnly && columns[at]!.format === "estimate" ? estimateTexts(cell) : [showCell(cell, columns[at]!)],
    ),
  );
  return alignColumns(heads, texts, style);
}

const INTERVAL = "95 % interval";

/** One line per figure. The first row of the table is the target and has intervals. */
function transposedLines(
  columns: readonly Column[],
  rows: readonly (readonly TableCell[])[],
  style: TextStyle,
): string[] {
  const [first, ...others] = rows;
  const name = (row: readonly TableCell[]) => String(row[0] ?? "");
  const heads = ["metric", name(first!), INTERVAL, ...others.map(name)];
  const lines = columns.slice(1).map((column, at) => {
    const value = (row: readonly TableCell[]) => row[at + 1] ?? null;
    const beside = others.map((row) => estimateTexts(value(row))[0]);
    return [columnTitle(column), ...estimateTexts(value(first!)), ...beside];
  });
  return alignColumns(heads, lines, style);
}

function estimateTexts(cell: TableCell): [value: string, interval: string] {
  if (typeof cell === "string") return [cell, ""];
  const { value, interval }: Estimate = isEstimate(cell) ? cell : { value: cell };
  return [showFigure(value), interval == null ? "" : showRange(interval)];
}

/** Changes may be negative, where a dash would read as a sign. */
const showRange = ([low, high]: Interval): string => `${showFigure(low)} ${low < 0 ? ".." : "-"} ${showFigure(high)}`;

const COLUMN_GAP = 2;

/**
 * Aligns columns, two spaces apart; empty columns are left out. A table wider than the terminal is split, and each part
 * repeats the first column.
 */
export function alignColumns(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  style: TextStyle,
): string[] {
  const used = [...heads.keys()].filter((at) => rows.length === 0 || rows.some((row) => (row[at] ?? "") !== ""));
  const widths = used.map((at) => Math.max(heads[at]!.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[], indexes: readonly number[]) =>
    indexes
      .map((index) => (row[used[index]!] ?? "").padEnd(widths[index]!))
      .join(" ".repeat(COLUMN_GAP))
      .trimEnd();
  return splitColumns(widths, style.width).flatMap((indexes, part) => [
    ...(part === 0 ? [] : [""]),
    style.dim(line(heads, indexes)),
    ...rows.map((row) => line(row, indexes)),
  ]);
}

/** The columns of each part of a split table; the first column is in every part. */
function splitColumns(widths: readonly number[], room = Number.POSITIVE_INFINITY): number[][] {
  const parts: number[][] = [];
  let taken = 0;
  for (const at of widths.keys()) {
    if (at === 0) continue;
    const needed = COLUMN_GAP + widths[at]!;
    const part = parts.at(-1);
    if (part === undefined || taken + needed > room) {
      parts.push([0, at]);
      taken = widths[0]! + needed;
    } else {
      part.push(at);
      taken += needed;
    }
  }
  return parts.length === 0 ? [[...widths.keys()]] : parts;
}

const factLines = ({ rows }: Facts): string[] => rows.map(([name, value]) => `${name}: ${value ?? ""}`);

function exampleLines({ list, terminal = 0 }: Examples, style: TextStyle): string[] {
  if (terminal === 0) return [];
  return list()
    .slice(0, terminal)
    .flatMap(({ name, about, sides }) => {
      const code = sides[0]?.texts[0]?.code ?? "";
      const shown = code.split("\n").slice(0, EXAMPLE_LINES);
      return [`${name}: ${about}`, ...shown.map((line) => style.dim(`    ${line}`))];
    });
}
