// Counts how often people call a function again soon after a first call. Run by fit-rerank.py. To run it alone:
//   node dist/scripts/fit-rerank-repeats.js OUT.json PATHS...
import { writeFileSync } from "node:fs";
import { isCalled, nameRoles } from "../src/python/name-roles.js";
import { tokenize } from "../src/python/tokenize.js";
import { readCorpus, splitOf } from "./train-embedder-notebooks.js";

/** Number of cells after a call that count as "soon", and the minimum that must exist. */
const SOON = 5;
const MIN_LATER_CELLS = 3;
/** Functions called in fewer cells are left out. */
const MIN_CELLS = 25;

const [out, ...paths] = process.argv.slice(2);
const counts = new Map<string, { cells: number; again: number }>();
for await (const { group, cells } of readCorpus(paths)) {
  if (splitOf(group) !== "train") continue;
  const calls = cells.flatMap(({ type, source }) => (type === "code" ? [callsOf(source)] : []));
  for (const [at, names] of calls.entries()) {
    const later = calls.slice(at + 1, at + 1 + SOON);
    if (later.length < MIN_LATER_CELLS) continue;
    for (const name of names) {
      const known = counts.get(name) ?? { cells: 0, again: 0 };
      const isAgain = later.some((others) => others.has(name));
      counts.set(name, { cells: known.cells + 1, again: known.again + Number(isAgain) });
    }
  }
}
const rates = [...counts]
  .filter(([, { cells }]) => cells >= MIN_CELLS)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, { cells, again }]) => [name, Math.round((100 * again) / cells) / 100]);
writeFileSync(out!, `${JSON.stringify(Object.fromEntries(rates), null, 1)}\n`);

function callsOf(source: string): Set<string> {
  const tokens = tokenize(source.slice(0, 6000));
  const roles = nameRoles(tokens);
  return new Set(tokens.flatMap(({ text }, at) => (isCalled(tokens, at) && roles[at] !== "builtin" ? [text] : [])));
}
