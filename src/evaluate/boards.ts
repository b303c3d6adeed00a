import type { Leaderboard } from "./leaderboard.js";
import type { Matrix } from "./matrix.js";
import { markLower } from "./metrics/index.js";
import type { BoardTable } from "./reports/board-report.js";
import { showFigure } from "./reports/text-figures.js";
import type { SuiteResults, SystemResult } from "./results.js";

const range = (ci95: readonly [number, number] | null | undefined): string =>
  ci95 == null ? "" : ` [${showEnd(ci95[0])}, ${showEnd(ci95[1])}]`;

/** The ends of an interval need no fourth digit. */
const showEnd = (value: number): string => (value >= 10 ? value.toFixed(1) : value.toFixed(3));

const headOf = ({ name, better }: Leaderboard["metrics"][number]): string => markLower(name, better);

/** The runs with their figures, then every two of them. */
export function leaderboardTables(board: Leaderboard): BoardTable[] {
  const { metrics, runs, pairs, unit, units, decisive, differs, comparisons } = board;
  const heads = metrics.map(headOf);
  return [
    {
      title: "Runs",
      note: `The best by ${decisive ?? "nothing"} first; 95 % intervals from drawing ${unit}s, of which there are ${units}. The runs differ in ${differs.join(", ") || "nothing"}.`,
      columns: ["run", ...heads],
      rows: runs.map(({ name, figures, ci95 }) => [
        name,
        ...metrics.map((metric) => `${showFigure(figures[metric.name])}${range(ci95[metric.name])}`),
      ]),
    },
    {
      title: "Every two runs",
      note: `Paired permutation tests over ${unit}s: p, and p Holm-corrected over all ${comparisons} comparisons in which any runs differ.`,
      columns: ["pair", "metric", "first", "second", "change", "95 % interval", "p", "p (Holm)"],
      rows: pairs.map(({ before, after, metric, better, a, b, difference, ci95, p, holm }) => [
        `${before} -> ${after}`,
        markLower(metric, better),
        showFigure(a),
        showFigure(b),
        `${difference >= 0 ? "+" : ""}${difference.toFixed(4)}`,
        `${ci95[0].toFixed(4)} .. ${ci95[1].toFixed(4)}`,
        p.toFixed(4),
        holm.toFixed(4),
      ]),
    },
  ];
}

export function matrixTables({ columns, rows }: Matrix): BoardTable[] {
  return [
    {
      title: "The figure to decide by",
      note: "Of every suite, with its 95 % interval. Figures in one column were measured on the same cases.",
      columns: ["recommender", ...columns],
      rows: rows.map(({ system, cells }) => [
        system,
        ...cells.map((cell) => (cell === null ? "" : `${showFigure(cell.value)}${range(cell.ci95)}`)),
      ]),
    },
  ];
}

/** A table for each suite with all that was measured, papers below, and the commands that repeat the runs. */
export function resultTables(results: readonly SuiteResults[]): BoardTable[] {
  return results.flatMap(({ suite, cases, metrics, decisive, systems, published }) => {
    // The best of k would double the columns; the reports of the runs have it.
    const shown = metrics.filter(({ name }) => !name.startsWith("best-"));
    const row = (name: string, { figures, ci95 }: Pick<SystemResult, "figures" | "ci95">) => [
      name,
      ...shown.map((metric) => `${showFigure(figures[metric.name])}${range(ci95[metric.name])}`),
    ];
    const rows = [...systems, ...published].flatMap((one) => [
      row(one.system, one),
      ...(one.withoutCopies ? [row(`${one.system}, without copies`, one.withoutCopies)] : []),
    ]);
    const commands = systems.flatMap(({ system, command }) => (command === null ? [] : [[system, command]]));
    return [
      {
        title: `${suite}, ${cases}`,
        note: `${decisive === undefined ? "" : `The best by ${decisive} first. `}95 % intervals. Figures of papers are marked as those of other data.`,
        columns: ["recommender", ...shown.map(headOf)],
        rows,
      },
      ...(commands.length === 0
        ? []
        : [
            {
              title: `${suite}: commands`,
              note: "Baselines are in the same reports.",
              columns: ["of", "command"],
              rows: commands,
              isText: true as const,
            },
          ]),
    ];
  });
}
