import { readFacts } from "./facts.js";
import { SUPPORTING_TASKS } from "./label-features.js";
import type { Labeller, Labelling, LabelProbability } from "./labeller.js";

/** Maximum number of labelled functions per cell; real cells have fewer. */
const MAX_DEFINITIONS = 100;
const DEFINITION = /^(?:async[ \t]+)?def[ \t]+([^\W\d]\w*)/u;

/**
 * Labels the cleaned code cells of one notebook, in order. A cell that calls a function of an earlier cell also gets
 * the function's labels. Stored labels do not include these, because a stored cell has the same labels in every
 * notebook.
 */
export function* labelNotebook(labeller: Labeller, codes: Iterable<string>): Generator<Labelling> {
  const known = new Map<string, readonly LabelProbability[]>();
  for (const code of codes) {
    const { callees, defines } = readFacts(code);
    yield carryOver(labeller.label(code, "cell"), [...callees], known);
    if (defines.length === 0) continue;
    for (const { name, body } of readDefinitions(code)) {
      const called = [...readFacts(body).callees].filter((callee) => callee !== name);
      known.set(name, carryOver(labeller.label(body, "cell"), called, known).labels);
    }
  }
}

function carryOver(
  own: Labelling,
  callees: readonly string[],
  known: ReadonlyMap<string, readonly LabelProbability[]>,
): Labelling {
  const carried = callees.flatMap((callee) => passedOnLabels(known.get(callee) ?? [], own.labels.length === 0));
  if (carried.length === 0) return own;
  const probabilities: Record<string, number> = { ...own.probabilities };
  for (const { label, probability } of carried) {
    probabilities[label] = Math.max(probabilities[label] ?? 0, probability);
  }
  const names = new Set([...own.labels, ...carried].map(({ label }) => label));
  const labels = [...names]
    .map((label) => ({ label, probability: probabilities[label]! }))
    .sort((one, other) => other.probability - one.probability);
  return {
    labels,
    primary: labels[0]!.label,
    probabilities,
    possible: [...new Set([...own.possible, ...names])],
  };
}

/**
 * The labels that a function passes on to a cell that calls it. If the function has only supporting tasks, a cell
 * without labels gets the most probable one, and a cell with labels gets none.
 */
function passedOnLabels(labels: readonly LabelProbability[], isUnknown: boolean): readonly LabelProbability[] {
  const ends = labels.filter(({ label }) => !SUPPORTING_TASKS.has(label));
  return ends.length === 0 && isUnknown ? labels.slice(0, 1) : ends;
}

/** The functions that a cell defines outside classes, with their lines, up to the limit. */
function readDefinitions(code: string): { name: string; body: string }[] {
  const lines = code.split("\n");
  const found: { name: string; body: string }[] = [];
  for (let at = 0; at < lines.length && found.length < MAX_DEFINITIONS; at += 1) {
    const name = DEFINITION.exec(lines[at]!)?.[1];
    if (name === undefined) continue;
    let end = at + 1;
    while (end < lines.length && /^(?:\s|[)\]}]|$)/.test(lines[end]!)) end += 1;
    found.push({ name, body: lines.slice(at, end).join("\n") });
  }
  return found;
}
