import type { SuiteResults } from "./results.js";

/** One figure of one system on one suite. */
export interface MatrixCell {
  readonly value: number | null;
  readonly ci95: readonly [number, number] | null;
}

/** Suites by systems: the figure to decide by of each. */
export interface Matrix {
  /** `suite: metric`, with the cases that they were measured on: figures of other cases stand in columns of their own. */
  readonly columns: readonly string[];
  readonly rows: readonly { readonly system: string; readonly cells: readonly (MatrixCell | null)[] }[];
}

/** The figures to decide by of all results in one table; a suite without such a figure is left out. */
export function makeMatrix(results: readonly SuiteResults[]): Matrix {
  const columns = results.flatMap(({ suite, cases, decisive, systems }) =>
    decisive === undefined ? [] : [{ name: `${suite}: ${decisive}, ${cases}`, decisive, systems }],
  );
  const all = [...new Set(columns.flatMap(({ systems }) => systems.map(({ system }) => system)))];
  // What was measured on most suites first, and baselines behind all others.
  const isBaseline = (system: string) => system.startsWith("baseline:");
  const widthOf = (system: string) =>
    columns.filter(({ systems }) => systems.some((one) => one.system === system)).length;
  const names = all.sort(
    (one, other) => Number(isBaseline(one)) - Number(isBaseline(other)) || widthOf(other) - widthOf(one),
  );
  return {
    columns: columns.map(({ name }) => name),
    rows: names.map((system) => ({
      system,
      cells: columns.map(({ decisive, systems }): MatrixCell | null => {
        const found = systems.find((one) => one.system === system);
        return found ? { value: found.figures[decisive] ?? null, ci95: found.ci95[decisive] ?? null } : null;
      }),
    })),
  };
}
