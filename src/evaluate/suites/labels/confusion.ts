import type { Confusion, LabelledCell } from "./document.js";

/** Which labels stand in for which: over the cells that got a wrong label, miss one, or both. */
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
    /** Most frequent first; equals by name, so that a run repeats itself. */
    list: () =>
      [...counts]
        .sort(([oneKey, one], [otherKey, other]) => other[2] - one[2] || (oneKey < otherKey ? -1 : 1))
        .map(([, entry]) => entry),
  };
}
