import type { LabelledCell } from "../ask/answers.js";
import { labelCells } from "../ask/label-cells.js";
import type { LabelProbability } from "../label/labeller.js";
import type { Contribution, ExplainingLabeller } from "../label/model-labeller.js";
import { normalizeSource } from "../notebook/extract.js";
import { strip } from "../python/strip.js";
import type { SourceFile } from "./read-sources.js";

/** Why a label has its probability: its logit is `base`, the contributions shown, strongest first, and the `rest`. */
export interface ShownExplanation {
  readonly label: string;
  readonly probability: number;
  readonly base: number;
  readonly contributions: readonly Contribution[];
  readonly rest: number;
}

/** What `--json` prints of a cell. */
export interface LabelEntry {
  readonly path?: string;
  readonly index: number;
  readonly labels: readonly LabelProbability[];
  readonly probabilities: Readonly<Record<string, number>>;
  readonly explain?: readonly ShownExplanation[];
}

export interface LabelOptions {
  readonly partial?: boolean;
  readonly explain?: boolean;
}

/** Of a long cell hundreds of features say something, almost all of them next to nothing. */
const MOST_CONTRIBUTIONS = 10;
const CARRIED = "call of a function that an earlier cell defines";

/** Labels the cells of a file, with the reasons where they are asked for. */
export async function labelFile(
  labeller: ExplainingLabeller,
  { cells, isNotebook }: SourceFile,
  { partial = false, explain = false }: LabelOptions,
): Promise<LabelEntry[]> {
  const labelled = await labelCells(labeller, { cells, isNotebook, partial });
  return labelled.map((cell, at) => {
    const { index, labels, probabilities } = cell;
    if (!explain) return { index, labels, probabilities };
    const clean = strip(normalizeSource(cells[at]!.code)).text;
    const reasons = labeller.explain(clean, partial ? "prefix" : "cell");
    return { index, labels, probabilities, explain: reasons.map((one) => shorten(one, cell)) };
  });
}

/** The labeller explains the cell alone; what the notebook added to its probability is one contribution more. */
function shorten(
  { label, base, probability: own, contributions }: ReturnType<ExplainingLabeller["explain"]>[number],
  { probabilities }: LabelledCell,
): ShownExplanation {
  const probability = probabilities[label] ?? own;
  const carried = probability > own ? [{ feature: CARRIED, amount: logit(probability) - logit(own) }] : [];
  const all = [...contributions, ...carried].sort((one, other) => Math.abs(other.amount) - Math.abs(one.amount));
  const rest = all.slice(MOST_CONTRIBUTIONS).reduce((sum, { amount }) => sum + amount, 0);
  return { label, probability, base, contributions: all.slice(0, MOST_CONTRIBUTIONS), rest };
}

/** JSON has no infinity. */
function logit(probability: number): number {
  const inside = Math.min(1 - 1e-12, Math.max(1e-12, probability));
  return Math.log(inside / (1 - inside));
}
