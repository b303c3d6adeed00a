import type { TextMetric, TypedCase } from "../metrics/metric.js";
import { type PreparedText, prepareText } from "./prepare.js";

/** One value for the k results of a case: the best or the mean of them, 0 without any, null where the case does not count. */
export function scoreResults(metric: TextMetric, results: readonly PreparedText[], target: TypedCase): number | null {
  const values: number[] = [];
  // Whether a case counts depends on the case alone, so a case without results is asked about an empty one.
  for (const result of results.length === 0 ? [EMPTY] : results) {
    const value = metric.of(result, target);
    if (value === null) return null;
    values.push(value);
  }
  if (metric.combine === "best") return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const EMPTY = prepareText("");
