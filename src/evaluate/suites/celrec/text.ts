import { lowerMetrics } from "../../metrics/index.js";
import { publishedColumns } from "../../reports/published.js";
import { figureLines, type Pen } from "../../reports/text-figures.js";
import { describeProblems } from "../../runner/problems.js";
import type { CelrecResult } from "./document.js";

/** What people read on a terminal. */
export function* celrecText(document: CelrecResult, pen: Pen): Generator<string> {
  const { counts, problems, mps1, ci95, ceiling } = document;
  const others = counts.distractors > 0 ? ` among ${counts.distractors} other cells` : "";
  yield `${counts.seeds} seeds, ${counts.queries} queries, ${counts.recommendationCells} mutants${others}`;
  const beside = { ceiling, ...publishedColumns(document) };
  yield* figureLines({ figures: mps1, ci95, beside, lower: lowerMetrics(Object.keys(mps1)) }, pen);
  yield* describeProblems(problems.target);
  const unchanged = Object.entries(problems.unchanged).map(([name, count]) => `${name} on ${count}`);
  if (unchanged.length > 0) yield `no mutant, because nothing changed: ${unchanged.join(", ")} seeds`;
  const failed = Object.entries(problems.failed).map(([name, count]) => `${name} on ${count}`);
  if (failed.length > 0) yield `no mutant, because the operator failed: ${failed.join(", ")} seeds`;
  if (problems.droppedDistractors > 0)
    yield `${problems.droppedDistractors} distractors equal a mutant and were dropped`;
}
