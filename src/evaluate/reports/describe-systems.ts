import type { Published } from "../result-document.js";
import { estimateOf, publishedName, type SystemFigures } from "./describe-result.js";
import {
  estimateColumn,
  type Figure,
  type IntervalRow,
  type Table,
  type TableCell,
  textColumn,
} from "./description.js";

/** A system measured on the cases of a suite: the target first, then the baselines. */
export interface MeasuredSystem {
  readonly name: string;
  readonly all: SystemFigures;
  /** Without the cases whose cell is in the index too; null if there are no such cases. */
  readonly withoutCopies: SystemFigures | null;
}

export interface SystemMetric {
  readonly name: string;
  readonly better: "higher" | "lower";
}

const WITHOUT_COPIES = ", without copies";

/** A table with a row per system. The target has a second row without copies; in files, the baselines have one, too. */
export function systemTable(
  systems: readonly MeasuredSystem[],
  metrics: readonly SystemMetric[],
  {
    published = [],
    terminal = { layout: "rows" },
  }: {
    published?: readonly Published[] | undefined;
    terminal?: Pick<NonNullable<Table["terminal"]>, "layout" | "columns">;
  } = {},
): Table {
  const figures = (of: SystemFigures): TableCell[] => metrics.map(({ name }) => estimateOf(of, name));
  return {
    kind: "table",
    name: "summary",
    columns: [textColumn("system"), ...metrics.map(({ name, better }) => estimateColumn(name, better))],
    rows: () => [
      ...systems.flatMap(({ name, all, withoutCopies }) => [
        [name, ...figures(all)],
        ...(withoutCopies === null ? [] : [[`${name}${WITHOUT_COPIES}`, ...figures(withoutCopies)]]),
      ]),
      ...published.map((one) => [publishedName(one), ...figures({ metrics: one.figures, ci95: {} })]),
    ],
    terminal: { ...terminal, isShown: ([name], at) => at <= 1 || !String(name).endsWith(WITHOUT_COPIES) },
  };
}

interface SystemFigureOptions {
  readonly title: string;
  readonly caption: string;
  /** A second figure of every system, drawn as a hollow dot below the first. */
  readonly second?: (
    system: MeasuredSystem,
  ) => { readonly note: string; readonly figures: SystemFigures; readonly metric: string } | null;
  readonly published?: readonly Published[] | undefined;
  readonly valueName?: string;
  /** Whether the axis ends at the largest value instead of 1. */
  readonly fitsAxis?: boolean;
}

/** One metric of all systems; baselines and published figures are drawn in a muted colour. */
export function systemFigure(systems: readonly MeasuredSystem[], metric: string, options: SystemFigureOptions): Figure {
  const { title, caption, second, published = [], valueName, fitsAxis } = options;
  return {
    kind: "figure",
    title,
    caption: `${caption} Intervals from resampling notebooks.`,
    plot() {
      const rows = systems.flatMap((system, at): IntervalRow[] => {
        const more = second?.(system) ?? null;
        return [
          { name: system.name, ...estimateOf(system.all, metric), ...(at > 0 && { look: "quiet" }) },
          ...(more === null
            ? []
            : [
                {
                  name: "",
                  note: more.note,
                  ...estimateOf(more.figures, more.metric),
                  look: at > 0 ? ("quiet hollow" as const) : ("hollow" as const),
                },
              ]),
        ];
      });
      const theirs = published.flatMap((one): IntervalRow[] => {
        const value = one.figures[metric];
        return value == null ? [] : [{ name: publishedName(one), value, look: "quiet" }];
      });
      const highest = Math.max(...rows.map(({ value, interval }) => Math.max(value ?? 0, interval?.[1] ?? 0)));
      return {
        type: "intervals",
        rows: [...rows, ...theirs],
        ...(valueName !== undefined && { valueName }),
        ...(fitsAxis && { axis: { max: roundUp(highest) } }),
      };
    },
  };
}

/** The end of an axis that has four even steps. */
export function roundUp(highest: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(highest, 1e-6)));
  return [1, 2, 4, 6, 8, 10].map((step) => step * unit).find((end) => end >= highest) ?? 10 * unit;
}
