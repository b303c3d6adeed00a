import { figureLines, type Pen, showFigure, textTable } from "../../reports/text-figures.js";
import type { LabelsResult } from "./document.js";
import { labelMetrics } from "./metrics.js";

const SHOWN_PAIRS = 5;
const SHOWN_CELLS = 3;
const SHOWN_LINES = 6;

/** What people read on a terminal. */
export function* labelsText(document: LabelsResult, pen: Pen): Generator<string> {
  const { counts, metrics, ci95, byLabel, confusion, problems } = document;
  const prefixes = counts.prefixes > 0 ? `, ${counts.prefixes} prefixes` : "";
  yield `${counts.cells} cells of ${counts.notebooks} notebooks, ${counts.unlabelled} without a label${prefixes}`;
  const lower = labelMetrics({ partial: true }).flatMap(({ name, better }) => (better === "lower" ? [name] : []));
  yield* figureLines({ figures: metrics, ci95, lower }, pen);
  yield "";
  const rows = byLabel.map(({ label, cells, given, precision, recall, f1, ece }) => [
    label,
    ...[cells, given].map(String),
    ...[precision, recall, f1, ece].map(showFigure),
  ]);
  yield* textTable(["label", "cells", "given", "precision", "recall", "f1", "ece"], rows, pen);
  if (confusion.instead.length > 0) yield "";
  for (const { missed, given, cells } of confusion.instead.slice(0, SHOWN_PAIRS)) {
    yield `${String(cells).padStart(4)} ${cells === 1 ? "cell" : "cells"}: ${describe(missed, given)}`;
  }
  yield* worstLines(document, pen);
  for (const [label, cells] of Object.entries(problems.unknownLabels))
    yield `The labeller does not know ${label}; ${cells} cells have it, and miss it.`;
}

function describe(missed: string | null, given: string | null): string {
  if (given === null) return `${missed} missed, nothing given instead`;
  return missed === null ? `${given} given, nothing missed` : `${given} given instead of ${missed}`;
}

function* worstLines({ worst }: LabelsResult, pen: Pen): Generator<string> {
  if (worst.length === 0) return;
  yield "";
  yield "the most confident mistakes:";
  for (const { id, mistake, label, probability, code } of worst.slice(0, SHOWN_CELLS)) {
    yield `  ${id}: ${label} ${mistake === "wrong" ? "given" : "missed"}, probability ${probability.toFixed(3)}`;
    for (const line of code.split("\n").slice(0, SHOWN_LINES)) yield pen.dim(`    ${line}`);
  }
}
