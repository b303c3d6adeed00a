import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import type { Labelling } from "../../../label/labeller.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-text.js";
import type { Confusion, LabelledCell, WorstCell } from "./labels-result.js";

const MAX_CELLS = 20;
/** Maximum characters shown of the code of a cell. */
const MAX_CHARACTERS = 2_000;

/** The cells with the most confident mistakes, for review; the reference label may be wrong. */
export function findWorst(cells: readonly TrueCell[], labellings: readonly Labelling[]): WorstCell[] {
  return cells
    .flatMap((cell, at) => worstOf(cell, labellings[at]!) ?? [])
    .sort((one, other) => confidence(other) - confidence(one) || (one.id < other.id ? -1 : 1))
    .slice(0, MAX_CELLS);
}

function worstOf({ id, notebook, code, labels: truth }: TrueCell, labelling: Labelling): WorstCell | null {
  const assigned = labelling.labels.map(({ label }) => label);
  const mistakes = [
    ...assigned.filter((label) => !truth.includes(label)).map((label) => ({ mistake: "wrong" as const, label })),
    ...truth.filter((label) => !assigned.includes(label)).map((label) => ({ mistake: "missed" as const, label })),
  ].map((one) => ({ ...one, probability: labelling.probabilities[one.label] ?? 0 }));
  const [worst] = mistakes.sort((one, other) => confidence(other) - confidence(one));
  if (worst === undefined) return null;
  return { id, notebook, ...worst, truth: [...truth], given: assigned, code: code.slice(0, MAX_CHARACTERS) };
}

function confidence({ mistake, probability }: Pick<WorstCell, "mistake" | "probability">): number {
  return mistake === "wrong" ? probability : 1 - probability;
}

/** Counts pairs of a missed label and a label given instead. */
export function confuseLabels(cells: readonly LabelledCell[]): Confusion {
  const instead = createCounter();
  const beside = createCounter();
  for (const { truth, given } of cells) {
    const missed = truth.filter((label) => !given.includes(label));
    const wrong = given.filter((label) => !truth.includes(label));
    if (missed.length + wrong.length === 0) continue;
    for (const one of orNothing(missed)) for (const other of orNothing(wrong)) instead.add(one, other);
    const right = given.filter((label) => truth.includes(label));
    for (const one of missed) for (const other of right) beside.add(one, other);
  }
  return {
    instead: instead.list().map(([missed, given, count]) => ({ missed, given, cells: count })),
    beside: beside.list().map(([missed, right, count]) => ({ missed: missed!, right: right!, cells: count })),
  };
}

const orNothing = (labels: readonly string[]): readonly (string | null)[] => (labels.length === 0 ? [null] : labels);

function createCounter() {
  const counts = new Map<string, [string | null, string | null, number]>();
  return {
    add(one: string | null, other: string | null) {
      const key = JSON.stringify([one, other]);
      const known = counts.get(key);
      if (known === undefined) counts.set(key, [one, other, 1]);
      else known[2] += 1;
    },
    /** Most frequent first; ties are ordered by name for a deterministic result. */
    list: () =>
      [...counts]
        .sort(([oneKey, one], [otherKey, other]) => other[2] - one[2] || (oneKey < otherKey ? -1 : 1))
        .map(([, entry]) => entry),
  };
}

/** A cell labelled by people, possibly with no label. */
export interface TrueCell {
  readonly id: string;
  /** Groups similar cells for resampling. A cell without a notebook is a group of its own. */
  readonly notebook: string;
  readonly code: string;
  readonly labels: readonly string[];
}

/** Other fields (licence, origin, ...) are ignored. */
const lineSchema = z.object({
  source: z.string(),
  label: z.array(z.string().min(1)),
  notebook: z.string().nullish(),
  cell_index: z.int().min(0).nullish(),
});

/** The marker for a cell without a label in the labelled data. */
const NONE = "None";

/** The cells of a JSON-lines file of `{source, label, notebook?, cell_index?}`; INPUT_INVALID with the line of a bad one. */
export function readLabelTruth(path: string): TrueCell[] {
  const ids = new Set<string>();
  const cells = readJsonLines(path, "labelled cells", lineSchema).map(({ line, value }): TrueCell => {
    const { source, label, notebook, cell_index: index } = value;
    const where = `line ${line}`;
    const name = notebook == null ? where : `${notebook}${index == null ? `, ${where}` : `:${index}`}`;
    // The same cell may have been labelled by two people.
    const id = ids.has(name) ? `${name} (${where})` : name;
    ids.add(id);
    const labels = [...new Set(label)].filter((one) => one !== NONE);
    return { id, notebook: notebook ?? where, code: normalizeSource(source), labels };
  });
  if (cells.length > 0) return cells;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${path} has no labelled cells; a line is {"source": "...", "label": [...]}`,
  );
}
