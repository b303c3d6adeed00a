import { RecommenderError } from "../../../errors.js";
import type { Figures } from "../../../evaluate/document.js";
import type { MeasuredMetric } from "../../../evaluate/suite.js";
import type { Threshold } from "./options.js";

/** Before the long work: a threshold must be about something that is going to be measured, and of which more is better. */
export function checkThresholds(thresholds: readonly Threshold[], measured: readonly MeasuredMetric[]): void {
  for (const { metric } of thresholds) {
    const found = measured.find(({ name }) => name === metric);
    if (found?.better === "higher") continue;
    const names = measured.filter(({ better }) => better === "higher").map(({ name }) => name);
    const why = found === undefined ? "this run measures" : "less of it is better; there are";
    throw new RecommenderError("INPUT_INVALID", `--fail-under ${metric}: ${why} ${names.join(", ")}.`);
  }
}

/** After it: THRESHOLD_MISSED names every figure that is too low. */
export function enforceThresholds(thresholds: readonly Threshold[], figures: Figures): void {
  const missed = thresholds.filter(({ metric, least }) => (figures[metric] ?? Number.NEGATIVE_INFINITY) < least);
  if (missed.length === 0) return;
  const list = missed.map(
    ({ metric, least }) => `${metric} is ${figures[metric]?.toFixed(4) ?? "unknown"}, wanted ${least}`,
  );
  throw new RecommenderError("THRESHOLD_MISSED", list.join("; "));
}
