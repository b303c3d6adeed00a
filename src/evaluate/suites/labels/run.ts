import { setImmediate } from "node:timers/promises";
import type { Labeller, Labelling } from "../../../label/labeller.js";
import { strip } from "../../../python/strip.js";
import type { Figures } from "../../document.js";
import { summarizeLatency } from "../../runner/latency.js";
import { createCalibration } from "../../statistics/calibration.js";
import type { Bench } from "../../suite.js";
import { confuseLabels } from "./confusion.js";
import type { LabelFigures, LabelledCell, LabelsResult } from "./document.js";
import { labelMetrics } from "./metrics.js";
import { findWorst } from "./mistakes.js";
import { createPrefixScorer, type PrefixOutcome, viewPrefixes } from "./prefixes.js";
import { type LabelScores, scoreLabels } from "./score.js";
import type { TrueCell } from "./truth.js";

export interface LabelsRun extends Bench {
  readonly cells: readonly TrueCell[];
  readonly labeller: Labeller;
  /** Whether the head for half-typed cells is asked, too. */
  readonly partial: boolean;
  readonly config: LabelsResult["config"];
}

interface Answer {
  readonly labelling: Labelling;
  readonly prefixes: readonly PrefixOutcome[];
  readonly took: Readonly<Record<string, number>>;
}

/** Labels every cell by its code alone, as the index does, and compares with the truth. Null where it was interrupted. */
export async function runLabels(run: LabelsRun): Promise<LabelsResult | null> {
  const scorePrefixes = createPrefixScorer(run.labeller, run.cells);
  const answers: Answer[] = [];
  for (const cell of run.cells) {
    const { labelling, took } = labelCell(run.labeller, cell);
    answers.push({ labelling, took, prefixes: run.partial ? scorePrefixes(cell) : [] });
    run.onProgress("cells", answers.length, run.cells.length);
    // Work that never waits would keep a signal from being heard.
    await setImmediate();
    if (run.signal.aborted) return null;
  }
  return toResult(run, answers);
}

function labelCell(labeller: Labeller, { code }: TrueCell) {
  const start = performance.now();
  const { text } = strip(code);
  const cleaned = performance.now();
  const labelling = labeller.label(text, "cell");
  return { labelling, took: { clean: cleaned - start, label: performance.now() - cleaned } };
}

function toResult(run: LabelsRun, answers: readonly Answer[]): LabelsResult {
  const { labeller, partial } = run;
  const labels = [...new Set([...labeller.labels, ...run.cells.flatMap((cell) => cell.labels)])];
  const unknown = labels.slice(labeller.labels.length);
  const cells = run.cells.map((cell, at) => toCell(cell, answers[at]!));
  const outcomes = answers.flatMap(({ prefixes }) => prefixes);
  const labellings = answers.map(({ labelling }) => labelling);
  const scores = scoreLabels(cells, labels);
  const byLabel = labels.map((label) => toFigures(label, cells, labellings, scores));
  const errors = byLabel.flatMap(({ ece }) => ece ?? []);
  const metrics: Figures = {
    ...scores.metrics,
    "mean-label-ece": errors.reduce((sum, error) => sum + error, 0) / errors.length,
    "highest-label-ece": Math.max(...errors),
  };
  return {
    suite: "labels",
    config: run.config,
    counts: {
      cells: cells.length,
      notebooks: new Set(cells.map(({ notebook }) => notebook)).size,
      unlabelled: cells.filter(({ truth }) => truth.length === 0).length,
      prefixes: outcomes.length,
    },
    metrics: Object.fromEntries(labelMetrics({ partial }).map(({ name }) => [name, metrics[name] ?? null])),
    ci95: scores.ci95,
    byLabel,
    confusion: confuseLabels(cells),
    ...(partial && { partial: viewPrefixes(outcomes, labels) }),
    worst: findWorst(run.cells, labellings),
    latency: summarizeLatency(answers.map(({ took }) => took)),
    problems: {
      unknownLabels: Object.fromEntries(
        unknown.map((label) => [label, cells.filter(({ truth }) => truth.includes(label)).length]),
      ),
    },
    manifest: run.manifest,
    cells,
  };
}

function toCell({ id, notebook, labels }: TrueCell, { labelling, prefixes }: Answer): LabelledCell {
  const partial = {
    prefixes: prefixes.length,
    met: prefixes.filter(({ isMet }) => isMet).length,
    kept: prefixes.reduce((sum, { kept }) => sum + kept, 0),
  };
  const given = labelling.labels.map(({ label }) => label);
  return { id, notebook, truth: [...labels], given, ...(prefixes.length > 0 && { partial }) };
}

function toFigures(
  label: string,
  cells: readonly LabelledCell[],
  labellings: readonly Labelling[],
  { byLabel }: LabelScores,
): LabelFigures {
  const { figures, ci95 } = byLabel.get(label)!;
  const calibration = createCalibration();
  for (const [at, { probabilities }] of labellings.entries()) {
    const probability = probabilities[label];
    if (probability !== undefined) calibration.add(probability, cells[at]!.truth.includes(label));
  }
  return {
    label,
    cells: cells.filter(({ truth }) => truth.includes(label)).length,
    given: cells.filter(({ given }) => given.includes(label)).length,
    precision: figures.precision!,
    recall: figures.recall!,
    f1: figures.f1!,
    ci95,
    ece: calibration.error(),
    calibration: calibration
      .bins()
      .map(({ from, count, probability, share }) => ({ from, cells: count, probability, share })),
  };
}
