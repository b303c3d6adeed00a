import { showCount } from "../reports/html/text.js";
import { publishedName } from "../reports/published.js";
import { type Pen, showFigure, textTable } from "../reports/text-figures.js";
import { describeProblems } from "../runner/problems.js";
import type { MeasuredSystem, PredictionResult } from "./document.js";
import { systemsOf } from "./tables.js";

/** Intervals of fewer notebooks are rough, and of one there are none. */
const FEW = 8;

/** One line per system, one column per figure; `shown` are the figures that fit a terminal. */
export function* predictionText(
  document: PredictionResult,
  pen: Pen,
  { shown }: { readonly shown: readonly string[] },
): Generator<string> {
  const { counts, problems, published = [] } = document;
  const [cases, notebooks, cells] = [
    showCount(counts.cases!, "case"),
    showCount(counts.notebooks!, "notebook"),
    showCount(counts.indexedCells!, "cell"),
  ];
  yield `${cases} of ${notebooks} (${showCount(counts.copies!, "copy", "copies")}), ${cells} to recommend from`;
  const row = (name: string, { metrics, ci95 }: MeasuredSystem) => [
    name,
    ...shown.map((metric) => {
      const interval = ci95[metric];
      const range = interval === undefined ? "" : ` [${showFigure(interval[0])}, ${showFigure(interval[1])}]`;
      return `${showFigure(metrics[metric])}${range}`;
    }),
  ];
  const rows = systemsOf(document).flatMap(({ name, all, withoutCopies }, at) => [
    row(name, all),
    ...(at === 0 && counts.copies! > 0 ? [row("  without copies", withoutCopies)] : []),
  ]);
  const theirs = published.map((one) => row(publishedName(one), { metrics: one.figures, ci95: {} }));
  yield* textTable(["system", ...shown], [...rows, ...theirs], pen);
  if (counts.notebooks! < FEW)
    yield `intervals are drawn from notebooks, and ${counts.notebooks} are too few to trust them`;
  yield* describeProblems(problems.target);
}
