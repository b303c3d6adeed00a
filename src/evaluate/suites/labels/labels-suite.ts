import { setImmediate } from "node:timers/promises";
import type { Labeller, Labelling } from "../../../label/labeller.js";
import { strip } from "../../../python/strip.js";
import { linePrefixes } from "../../notebook-context.js";
import { REPORTS } from "../../reports/index.js";
import type { Figures } from "../../result-document.js";
import { summarizeLatency } from "../../runner/ask-target.js";
import { hashOf } from "../../runner/inputs.js";
import { groupBy } from "../../statistics/bootstrap.js";
import { createCalibration } from "../../statistics/calibration.js";
import type { Bench, PlainSuite, Prepared } from "../../suite.js";
import { describeLabels } from "./labels-report.js";
import { type LabelFigures, type LabelledCell, type LabelsResult, labelsResultSchema } from "./labels-result.js";
import { type LabelScores, labelMetrics, pairLabelled, scoreLabels } from "./labels-score.js";
import { confuseLabels, findWorst, readLabelTruth, type TrueCell } from "./mistakes.js";

export interface LabelsOptions {
  readonly truth: string;
  readonly partial?: boolean;
}

export interface LabelsCases extends Prepared {
  readonly cells: readonly TrueCell[];
  readonly labeller: Labeller;
  readonly partial: boolean;
  readonly origin: { readonly truth: string };
}

/** Compares the labels of cells with those given by people. */
export const labelsSuite: PlainSuite<LabelsOptions, LabelsCases, LabelsResult> = {
  name: "labels",
  description: "compare the labels of cells with labels given by people",
  options: [
    {
      flags: "--truth <file>",
      description: 'JSON lines of {source, label: [...], notebook?, cell_index?}; ["None"] means no label',
      value: "text",
      required: true,
    },
    { flags: "--partial", description: "also label every line prefix of cells with three or more lines" },
  ],
  asks: null,
  configured: ["labels"],
  reports: REPORTS,
  schema: labelsResultSchema,
  metrics: ({ partial = false }) => labelMetrics({ partial }),
  async cases({ truth, partial = false }, deps) {
    const cells = readLabelTruth(truth);
    const labeller = await deps.labeller();
    const settings = { labeller: labeller.id, partial };
    return { cells, labeller, partial, origin: { truth }, inputs: { truth: hashOf(cells) }, settings };
  },
  run({ cells, labeller, partial, origin }, bench) {
    return runLabels({ ...bench, cells, labeller, partial, config: { ...origin, ...bench.manifest.settings } });
  },
  figures: ({ metrics }) => metrics,
  texts: () => ({ query: () => undefined, cell: () => undefined }),
  describe: describeLabels,
  pair: pairLabelled,
};

interface LabelsRun extends Bench {
  readonly cells: readonly TrueCell[];
  readonly labeller: Labeller;
  /** Whether to evaluate the model for half-typed cells, too. */
  readonly partial: boolean;
  readonly config: LabelsResult["config"];
}

interface Answer {
  readonly labelling: Labelling;
  readonly prefixes: readonly PrefixOutcome[];
  readonly took: Readonly<Record<string, number>>;
}

/** Labels every cell by its code alone, as the index does, and compares with the truth. Null if interrupted. */
export async function runLabels(run: LabelsRun): Promise<LabelsResult | null> {
  const scorePrefixes = createPrefixScorer(run.labeller, run.cells);
  const answers: Answer[] = [];
  for (const cell of run.cells) {
    const { labelling, took } = labelCell(run.labeller, cell);
    answers.push({ labelling, took, prefixes: run.partial ? scorePrefixes(cell) : [] });
    run.onProgress("cells", answers.length, run.cells.length);
    // Yields, so that signals are handled.
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

/** The effect of the soft filter on one prefix of a cell. */
interface PrefixOutcome {
  readonly cell: TrueCell;
  readonly lines: number;
  readonly isMet: boolean;
  readonly kept: number;
}

/** Minimum lines of a cell; shorter cells have too little left to type. */
const MIN_LINES = 3;

/**
 * Labels every line prefix of a cell with the prefix model. A prefix is `met` if its possible labels include a true
 * label of the whole cell. A cell without labels passes every filter, so it is always met. `kept` is the share of
 * `library` that passes the filter.
 */
function createPrefixScorer(labeller: Labeller, library: readonly TrueCell[]) {
  const sets = [...groupBy(library, ({ labels }) => labels.toSorted().join("\n")).values()];
  const keptShare = (possible: readonly string[]) =>
    sets.reduce((sum, [first, ...rest]) => sum + (sharesLabel(first!.labels, possible) ? 1 + rest.length : 0), 0) /
    library.length;
  return (cell: TrueCell): PrefixOutcome[] => {
    const prefixes = linePrefixes(cell.code);
    if (prefixes.length < MIN_LINES) return [];
    return prefixes.map((prefix, at) => {
      const { possible } = labeller.label(strip(prefix).text, "prefix");
      return { cell, lines: at + 1, isMet: sharesLabel(cell.labels, possible), kept: keptShare(possible) };
    });
  };
}

/** The outcomes by lines typed, and by true label. */
function viewPrefixes(
  outcomes: readonly PrefixOutcome[],
  labels: readonly string[],
): NonNullable<LabelsResult["partial"]> {
  const byLines = [...groupBy(outcomes, ({ lines }) => lines)].sort(([one], [other]) => one - other);
  return {
    byLines: byLines.map(([lines, group]) => ({ lines, ...summarize(group) })),
    byLabel: labels.map((label) => ({
      label,
      ...summarize(outcomes.filter(({ cell }) => cell.labels.includes(label))),
    })),
  };
}

const sharesLabel = (truth: readonly string[], possible: readonly string[]): boolean =>
  truth.length === 0 || truth.some((label) => possible.includes(label));

function summarize(group: readonly PrefixOutcome[]) {
  const mean = (of: (outcome: PrefixOutcome) => number) =>
    group.length === 0 ? null : group.reduce((sum, outcome) => sum + of(outcome), 0) / group.length;
  return { prefixes: group.length, met: mean(({ isMet }) => +isMet), kept: mean(({ kept }) => kept) };
}
