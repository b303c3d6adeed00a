import type { Figures, Intervals } from "../result-document.js";
import { bootstrapIntervals } from "./bootstrap.js";
import { clusterValues, groupBy } from "./clusters.js";

/** One query or case with the value of every metric, in the order of the names; null where it does not count. */
export interface Measured {
  readonly values: readonly (number | null)[];
}

/** The mean of every metric over these rows; null where no row counts. */
export function meansOf(names: readonly string[], rows: readonly Measured[]): Figures {
  return Object.fromEntries(
    names.map((name, at) => {
      let sum = 0;
      let count = 0;
      for (const { values } of rows) {
        const value = values[at];
        if (value === null || value === undefined) continue;
        sum += value;
        count += 1;
      }
      return [name, count === 0 ? null : sum / count];
    }),
  );
}

/** One row of means per key, keys in the order of appearance. */
export function meansBy<R extends Measured, K>(
  names: readonly string[],
  rows: readonly R[],
  keyOf: (row: R) => K,
): { key: K; queries: number; means: Figures }[] {
  return [...groupBy(rows, keyOf)].map(([key, group]) => ({
    key,
    queries: group.length,
    means: meansOf(names, group),
  }));
}

/** The 95 % interval of every mean, drawing whole clusters. Metrics without a value have none. */
export function intervalsOf<R extends Measured>(
  names: readonly string[],
  rows: readonly R[],
  clusterOf: (row: R) => string,
): Intervals {
  const clusters = clusterValues(rows.map((row) => ({ id: clusterOf(row), values: row.values })));
  const intervals = bootstrapIntervals(clusters);
  return Object.fromEntries(
    names.flatMap((name, at) => {
      const interval = intervals[at] ?? null;
      return interval === null ? [] : [[name, [interval[0], interval[1]] as [number, number]]];
    }),
  );
}
