import { bootstrapIntervals, intervalsOf, meansOf, mergeClusters } from "../../statistics/bootstrap.js";
import { createCalibration } from "../../statistics/calibration.js";
import type { MeasuredMetric } from "../../suite.js";
import type { CursorCaseResult, CursorMeasured } from "./cursor-result.js";
import type { CursorScores } from "./cursor-score.js";
import { bestPoint, savingCurve, type TypedCell } from "./typist.js";

/** A cell typed by the simulated typist at every threshold. */
export interface TypedCellResult {
  readonly notebook: string;
  readonly copy: boolean;
  readonly typed: readonly TypedCell[];
}

type Scored = Pick<CursorCaseResult, "notebook" | "line" | "values" | "completions">;

/** Figures for cuts inside a line and at line boundaries have different prefixes, because the tasks differ. */
const GROUPS = ["inside", "line"] as const;
const LOWER_IS_BETTER = new Set(["undefined-names", "broken-tokens", "empty-calls", "ece"]);
const FAULT_METRICS = ["answered", "undefined-names", "broken-tokens", "empty-calls"];

/** The metric values of one case, by name. */
export function namedValues(scores: CursorScores, k: number): Record<string, number | null> {
  const { exact, lenient, next, chrf } = scores;
  return {
    "exact@1": exact.first,
    [`exact@${k}`]: exact.best,
    "lenient@1": lenient.first,
    [`lenient@${k}`]: lenient.best,
    "next@1": next.first,
    "next@3": next.among3,
    "mrr@10": next.reciprocal,
    chrf,
    answered: scores.answered,
    "undefined-names": scores.undefinedName,
    "broken-tokens": scores.brokenToken,
    "empty-calls": scores.emptyCall,
  };
}

const qualityNames = (k: number): string[] => [
  ...new Set(["exact@1", `exact@${k}`, "lenient@1", `lenient@${k}`, "next@1", "next@3", "mrr@10", "chrf"]),
];

/** The means over cases: quality for each of the two groups, faults over all cases. */
function meanNames(k: number): { name: string; value: string; isLine: boolean | null }[] {
  return [
    ...GROUPS.flatMap((group) =>
      qualityNames(k).map((value) => ({ name: `${group}-${value}`, value, isLine: group === "line" })),
    ),
    ...FAULT_METRICS.map((name) => ({ name, value: name, isLine: null })),
  ];
}

/** The figures of the suite with k completions, in the order of the report. */
export function cursorMetrics(k: number): MeasuredMetric[] {
  const names = [...meanNames(k).map(({ name }) => name), "ece", "saved"];
  return names.map((name) => ({ name, better: betterOf(name) }));
}

export const betterOf = (name: string): "higher" | "lower" => (LOWER_IS_BETTER.has(name) ? "lower" : "higher");

/** The values of a case in the order of the means; null if it does not count. */
export function caseValues({ line, values }: Pick<Scored, "line" | "values">, k: number): (number | null)[] {
  return meanNames(k).map(({ value, isLine }) => (isLine === null || isLine === line ? (values[value] ?? null) : null));
}

/** The figures over these cases and typed cells, with intervals from resampling notebooks. */
export function measureCursor(cases: readonly Scored[], cells: readonly TypedCellResult[], k: number): CursorMeasured {
  const names = meanNames(k).map(({ name }) => name);
  const rows = cases.map((each) => ({ notebook: each.notebook, values: caseValues(each, k) }));
  const saved = measureSaved(cells);
  return {
    metrics: { ...meansOf(names, rows), ece: calibrationError(cases), saved: saved?.value ?? null },
    ci95: {
      ...intervalsOf(names, rows, ({ notebook }) => notebook),
      ...(saved?.interval && { saved: [saved.interval[0], saved.interval[1]] }),
    },
  };
}

/** The means for every kind of cut, in the order of their names. */
export function measureKinds(cases: readonly CursorCaseResult[], k: number) {
  const kinds = [...new Set(cases.map(({ kind }) => kind))].sort();
  const names = [...qualityNames(k), ...FAULT_METRICS];
  return kinds.map((kind) => {
    const rows = cases
      .filter((each) => each.kind === kind)
      .map(({ values }) => ({ values: names.map((name) => values[name] ?? null) }));
    return { kind, cases: rows.length, metrics: meansOf(names, rows) };
  });
}

function calibrationError(cases: readonly Scored[]): number | null {
  const calibration = createCalibration();
  for (const { confidence, right } of cases.flatMap(({ completions }) => completions))
    if (confidence !== null) calibration.add(confidence, right);
  return calibration.error();
}

/**
 * The keystrokes saved at the best threshold with at least half of the shown suggestions right; 0 if there is no such
 * threshold.
 */
function measureSaved(cells: readonly TypedCellResult[]) {
  const curve = savingCurve(cells.map(({ typed }) => typed));
  if (curve.length === 0) return null;
  const best = bestPoint(curve);
  if (best === null) return { value: 0, interval: null };
  const at = curve.indexOf(best);
  const clusters = mergeClusters(
    cells.map(({ notebook, typed }) => ({
      id: notebook,
      sums: [typed[at]!.accepted - typed[at]!.acceptances],
      counts: [typed[at]!.characters],
    })),
  );
  return { value: best.saved, interval: clusters.length < 2 ? null : bootstrapIntervals(clusters)[0] };
}
