import type { Labelling } from "../../../label/labeller.js";
import type { WorstCell } from "./document.js";
import type { TrueCell } from "./truth.js";

const MOST_CELLS = 20;
/** A report shows what went wrong, it is no archive. */
const MOST_CHARACTERS = 2_000;

/** The cells with the most confident mistakes, each with that mistake: what to look at first, in the labels as in the truth. */
export function findWorst(cells: readonly TrueCell[], labellings: readonly Labelling[]): WorstCell[] {
  return cells
    .flatMap((cell, at) => worstOf(cell, labellings[at]!) ?? [])
    .sort((one, other) => confidence(other) - confidence(one) || (one.id < other.id ? -1 : 1))
    .slice(0, MOST_CELLS);
}

function worstOf({ id, notebook, code, labels: truth }: TrueCell, labelling: Labelling): WorstCell | null {
  const given = labelling.labels.map(({ label }) => label);
  const mistakes = [
    ...given.filter((label) => !truth.includes(label)).map((label) => ({ mistake: "wrong" as const, label })),
    ...truth.filter((label) => !given.includes(label)).map((label) => ({ mistake: "missed" as const, label })),
  ].map((one) => ({ ...one, probability: labelling.probabilities[one.label] ?? 0 }));
  const [worst] = mistakes.sort((one, other) => confidence(other) - confidence(one));
  if (worst === undefined) return null;
  return { id, notebook, ...worst, truth: [...truth], given, code: code.slice(0, MOST_CHARACTERS) };
}

function confidence({ mistake, probability }: Pick<WorstCell, "mistake" | "probability">): number {
  return mistake === "wrong" ? probability : 1 - probability;
}
