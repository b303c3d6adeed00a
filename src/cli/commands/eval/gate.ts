import { RecommenderError } from "../../../errors.js";
import type { Figures } from "../../../evaluate/results/common.js";
import type { Threshold } from "./options.js";

/** Before the long work: every threshold must be about something that is going to be measured. */
export function checkThresholds(thresholds: readonly Threshold[], measured: readonly string[]): void {
  for (const { metric } of thresholds) {
    if (measured.includes(metric)) continue;
    throw new RecommenderError("INPUT_INVALID", `--fail-under ${metric}: this run measures ${measured.join(", ")}.`);
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
