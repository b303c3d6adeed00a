import type { Leaderboard } from "./leaderboard.js";
import {
  type Column,
  type Estimate,
  estimateColumn,
  figureColumn,
  type ReportDescription,
  type Table,
  textColumn,
} from "./reports/description.js";
import type { Matrix, SuiteResults, SystemResult } from "./system-results.js";

/** The report of several runs: one section per table. */
export function describeBoard(title: string, tables: readonly Table[]): ReportDescription {
  const sections = tables.map((table, at) => ({ id: `table-${at + 1}`, title: table.name, blocks: [table] }));
  return { title, lead: "", headline: [], sections };
}

/** The runs with their figures, then all pairs of runs. */
export function leaderboardTables(board: Leaderboard): Table[] {
  const { metrics, runs, pairs, unit, units, decisive, differs, comparisons } = board;
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
      name: "Pairs of runs",
      note: `Paired permutation tests over ${unit}s: p, and p Holm-corrected over all ${comparisons} comparisons in which any runs differ.`,
      columns: [
        textColumn("pair"),
        textColumn("metric"),
        figureColumn("first"),
        figureColumn("second"),
        estimateColumn("change"),
        figureColumn("p"),
        figureColumn("p (Holm)"),
      ],
      rows: () =>
        pairs.map(({ before, after, metric, better, a, b, difference, ci95, p, holm }) => [
          `${before} -> ${after}`,
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

/** A table for each suite with all that was measured, published figures below, and the commands that repeat the runs. */
export function resultTables(results: readonly SuiteResults[]): Table[] {
  return results.flatMap(({ suite, cases, metrics, decisive, systems, published }): Table[] => {
    // The best of k would double the columns; the reports of the runs have it.
    const shown = metrics.filter(({ name }) => !name.startsWith("best-"));
    const row = (name: string, of: Pick<SystemResult, "figures" | "ci95">) => [
      name,
      ...shown.map((metric) => estimateIn(of, metric.name)),
    ];
    const commands = systems.flatMap(({ system, command }) => (command === null ? [] : [[system, command]]));
    const figures: Table = {
      ...onAllPages,
      name: `Results of ${suite}, ${cases}`,
      note: `${decisive === undefined ? "" : `Best ${decisive} first. `}95 % intervals. Published figures are marked where they are of other data.`,
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

const onAllPages = { kind: "table", page: { layout: "figure" }, terminal: { layout: "rows" } } as const;

const toColumn = ({ name, better }: Leaderboard["metrics"][number]): Column => estimateColumn(name, better);

const estimateIn = ({ figures, ci95 }: Pick<SystemResult, "figures" | "ci95">, metric: string): Estimate => ({
  value: figures[metric] ?? null,
  interval: ci95[metric],
});
