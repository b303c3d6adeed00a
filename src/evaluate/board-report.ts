import type { Leaderboard } from "./compare-results.js";
import { targetName } from "./reports/describe-result.js";
import { roundUp } from "./reports/describe-systems.js";
import {
  type Column,
  countColumn,
  type Estimate,
  estimateColumn,
  type Figure,
  figureColumn,
  type ReportDescription,
  type Table,
  textColumn,
} from "./reports/description.js";
import type { Figures, SuiteDocument } from "./result-document.js";
import { suiteOf } from "./suites/index.js";
import type { Matrix, SuiteResults, SystemResult } from "./system-results.js";

/** The report of several runs: figures first, then one section per table. */
export function describeBoard(
  title: string,
  tables: readonly Table[],
  figures: readonly Figure[] = [],
): ReportDescription {
  const sections = tables.map((table, at) => ({ id: `table-${at + 1}`, title: table.name, blocks: [table] }));
  const drawn = figures.length === 0 ? [] : [{ id: "figures", title: "At a glance", blocks: figures }];
  return { title, lead: "", headline: [], sections: [...drawn, ...sections] };
}

/** Plots the main metric of every run with its interval. For two runs, also plots the changes of all metrics. */
export function leaderboardFigures({ runs, pairs, decisive, metrics, unit }: Leaderboard): Figure[] {
  const shown = metrics.find(({ name }) => name === decisive) ?? metrics[0];
  if (shown === undefined) return [];
  const highest = Math.max(...runs.map(({ figures, ci95 }) => ci95[shown.name]?.[1] ?? figures[shown.name] ?? 0));
  const main: Figure = {
    kind: "figure",
    title: `${shown.name} of every run`,
    caption: `${shown.better === "lower" ? "Lower is better. " : ""}95 % intervals from resampling ${unit}s.`,
    plot: () => ({
      type: "intervals",
      rows: runs.map(({ name, figures, ci95 }) => ({
        name,
        value: figures[shown.name] ?? null,
        interval: ci95[shown.name],
      })),
      valueName: shown.name,
      ...(highest > 1 && { axis: { max: highest } }),
    }),
  };
  if (runs.length !== 2) return [main];
  // Lengths and times are left out, because they are not between 0 and 1.
  const small = pairs.filter(({ ci95 }) => ci95.every((end) => Math.abs(end) <= 1));
  const reach = Math.max(1e-6, ...small.flatMap(({ ci95 }) => ci95.map(Math.abs)));
  const change: Figure = {
    kind: "figure",
    title: `Change from ${pairs[0]?.before} to ${pairs[0]?.after}`,
    caption: `Differences of the means with 95 % intervals, from resampling ${unit}s in pairs; zero is no change.`,
    plot: () => ({
      type: "intervals",
      rows: small.map(({ metric, better, difference, ci95 }) => ({
        name: better === "lower" ? `${metric} (lower is better)` : metric,
        value: difference,
        interval: ci95,
      })),
      axis: { min: -reach, max: reach },
      valueName: "change",
    }),
  };
  return [main, change];
}

/** A table of the runs with their figures, and a table of all pairs of runs. */
export function leaderboardTables(board: Leaderboard): Table[] {
  const { metrics, runs, pairs, unit, units, decisive, differs, comparisons } = board;
  // Two runs are one pair, whose names would fill a column of every page.
  const isOne = runs.length === 2;
  const names = isOne && pairs[0] ? ` First: ${pairs[0].before}; second: ${pairs[0].after}.` : "";
  return [
    {
      ...onAllPages,
      name: "Runs",
      note: `Best ${decisive ?? "figure"} first; 95 % intervals from resampling ${units} ${unit}s. The runs differ in ${differs.join(", ") || "nothing"}.`,
      columns: [textColumn("run"), ...metrics.map(toColumn)],
      rows: () => runs.map((run) => [run.name, ...metrics.map(({ name }) => estimateIn(run, name))]),
    },
    {
      ...onAllPages,
      terminal: { layout: isOne ? "rows" : "groups" },
      name: "Pairs of runs",
      note: `Paired permutation tests over ${unit}s: p, and p Holm-corrected over all ${comparisons} comparisons in which any runs differ.${names}`,
      columns: [
        ...(isOne ? [] : [textColumn("pair")]),
        textColumn("metric"),
        figureColumn("first"),
        figureColumn("second"),
        estimateColumn("change"),
        figureColumn("p"),
        figureColumn("p (Holm)"),
      ],
      rows: () =>
        pairs.map(({ before, after, metric, better, a, b, difference, ci95, p, holm }) => [
          ...(isOne ? [] : [`${before} -> ${after}`]),
          better === "lower" ? `${metric} (lower is better)` : metric,
          a,
          b,
          { value: difference, interval: ci95 },
          p,
          holm,
        ]),
    },
  ];
}

/** Runs of one suite that differ in one flag. */
export interface Ablation {
  readonly flag: string;
  readonly decisive: string | undefined;
  readonly runs: readonly { readonly value: number; readonly document: SuiteDocument }[];
}

/** One table per flag: a row per value, with the figures of the target. */
export function ablationTables(ablations: readonly Ablation[], metrics: Leaderboard["metrics"]): Table[] {
  const shown = metrics.filter(({ name }) => !name.startsWith("best-"));
  return ablations.map(({ flag, runs }) => ({
    ...onAllPages,
    name: flag,
    note: `${targetName(runs[0]!.document)}; 95 % intervals from resampling notebooks.`,
    columns: [countColumn(flag), ...shown.map(toColumn)],
    rows: () =>
      runs.map(({ value, document }) => [
        value,
        ...shown.map(({ name }) => estimateIn({ figures: figuresOf(document), ci95: document.ci95 }, name)),
      ]),
  }));
}

/** Baselines drawn beside the target, if the suite has them. */
const PLOTTED_BASELINES = ["ret-train", "ret-context", "bm25"];
/** If the largest value is at least this multiple of the smallest, the axis is logarithmic. */
const MIN_LOG_RATIO = 20;

/** One plot per flag: the main metric of the target and of the baselines over its values. */
export function ablationFigures(ablations: readonly Ablation[]): Figure[] {
  return ablations.flatMap(({ flag, decisive, runs }): Figure[] => {
    const metric = decisive;
    if (metric === undefined) return [];
    const series = [
      {
        name: targetName(runs[0]!.document),
        points: runs.map(({ value, document }) => ({
          x: value,
          y: figuresOf(document)[metric] ?? 0,
          interval: document.ci95[metric],
        })),
      },
      ...PLOTTED_BASELINES.flatMap((name) => {
        const points = runs.flatMap(({ value, document }) => {
          const y = baselineFigure(document, name, metric);
          return y === null ? [] : [{ x: value, y }];
        });
        return points.length === 0 ? [] : [{ name: `baseline:${name}`, points }];
      }),
    ];
    const values = runs.map(({ value }) => value);
    const highest = Math.max(
      ...series.flatMap(({ points }) => points.map(({ y }) => y)),
      ...runs.map(({ document }) => document.ci95[metric]?.[1] ?? 0),
    );
    return [
      {
        kind: "figure",
        title: `${metric} by ${flag}`,
        caption: "The band is the 95 % interval of the target, from resampling notebooks.",
        plot: () => ({
          type: "lines",
          series,
          counts: runs.map(({ value, document }) => ({ x: value, count: document.counts.cases ?? 0 })),
          axisName: flag,
          unit: "cases",
          axis: { max: roundUp(highest) },
          isLog: Math.max(...values) / Math.min(...values) >= MIN_LOG_RATIO,
        }),
      },
    ];
  });
}

const figuresOf = (document: SuiteDocument) => suiteOf(document.suite).figures(document);

function baselineFigure(document: SuiteDocument, name: string, metric: string): number | null {
  const { baselines } = document as { readonly baselines?: Readonly<Record<string, { readonly metrics?: Figures }>> };
  return baselines?.[name]?.metrics?.[metric] ?? null;
}

export function matrixTable({ columns, rows }: Matrix): Table {
  return {
    ...onAllPages,
    name: "Main figures",
    note: "The main figure of every suite, with its 95 % interval. Figures in one column were measured on the same cases.",
    columns: [textColumn("recommender"), ...columns.map((title) => estimateColumn(title))],
    rows: () =>
      rows.map(({ system, cells }) => [
        system,
        ...cells.map((cell) => cell && { value: cell.value, interval: cell.ci95 }),
      ]),
  };
}

/** For each suite, a table of all measured and published figures, and a table of the commands that repeat the runs. */
export function resultTables(results: readonly SuiteResults[]): Table[] {
  return results.flatMap(({ suite, cases, metrics, decisive, systems, published }): Table[] => {
    // Best-of-k figures are only in the reports of the runs, because they would double the columns.
    const shown = metrics.filter(({ name }) => !name.startsWith("best-"));
    const row = (name: string, of: Pick<SystemResult, "figures" | "ci95">) => [
      name,
      ...shown.map((metric) => estimateIn(of, metric.name)),
    ];
    const commands = systems.flatMap(({ system, command }) => (command === null ? [] : [[system, command]]));
    const figures: Table = {
      ...onAllPages,
      name: `Results of ${suite}, ${cases}`,
      note: `${decisive === undefined ? "" : `Best ${decisive} first. `}95 % intervals. Published figures are marked if they are of other data.`,
      columns: [textColumn("recommender"), ...shown.map(toColumn)],
      rows: () =>
        [...systems, ...published].flatMap((one) => [
          row(one.system, one),
          ...(one.withoutCopies ? [row(`${one.system}, without copies`, one.withoutCopies)] : []),
        ]),
    };
    if (commands.length === 0) return [figures];
    return [
      figures,
      {
        ...onAllPages,
        name: `Commands of ${suite}`,
        note: "Baselines are in the reports of these runs.",
        columns: [textColumn("recommender"), textColumn("command")],
        rows: () => commands,
      },
    ];
  });
}

const onAllPages = { kind: "table", page: { layout: "captioned" }, terminal: { layout: "rows" } } as const;

const toColumn = ({ name, better }: Leaderboard["metrics"][number]): Column => estimateColumn(name, better);

const estimateIn = ({ figures, ci95 }: Pick<SystemResult, "figures" | "ci95">, metric: string): Estimate => ({
  value: figures[metric] ?? null,
  interval: ci95[metric],
});
