// Finds the call that usually makes the value of a variable with a certain name. Run by fit-rerank.py; to run it alone:
//   node dist/scripts/fit-rerank-origins.js OUT.json PATHS...
import { writeFileSync } from "node:fs";
import { readValues } from "../src/recommend/answer/name-evidence.js";
import { readSourceLines } from "../src/recommend/answer/source-lines.js";
import { readCorpus, splitOf } from "./train-embedder-notebooks.js";

/** A name is listed if at least this many groups of notebooks assign it, and this share of them by the same call. */
const MIN_GROUPS = 5;
const MIN_SHARE = 0.3;
/** Further calls that are listed, and their minimum share. */
const MAX_CALLS = 3;
const MIN_SHARE_OF_OTHERS = 0.15;

const [out, ...paths] = process.argv.slice(2);
const found = new Map<string, { groups: Set<string>; calls: Map<string, Set<string>> }>();
for await (const { group, cells } of readCorpus(paths)) {
  if (splitOf(group) !== "train") continue;
  for (const { type, source } of cells) {
    if (type !== "code") continue;
    for (const line of readSourceLines(source.slice(0, 6000)).logical) {
      const values = readValues(line);
      for (const [at, calls] of values) {
        const name = line.tokens[at]!.text;
        // A value that is made from the old value does not show where the first one came from.
        const isChange = line.tokens.some(({ text }, other) => text === name && !values.has(other));
        const own = calls.filter((call) => !call.startsWith("=file "));
        if (isChange || own.length === 0) continue;
        const known = found.get(name) ?? { groups: new Set(), calls: new Map() };
        found.set(name, known);
        known.groups.add(group);
        for (const call of own) known.calls.set(call, (known.calls.get(call) ?? new Set()).add(group));
      }
    }
  }
}
const usual = [...found]
  .flatMap(([name, { groups, calls }]) => {
    if (groups.size < MIN_GROUPS) return [];
    const shares = [...calls]
      .map(([call, users]) => ({ call, share: users.size / groups.size }))
      .sort((one, other) => other.share - one.share);
    if (shares[0]!.share < MIN_SHARE) return [];
    const listed = shares.slice(0, MAX_CALLS).filter(({ share }) => share >= MIN_SHARE_OF_OTHERS);
    return [[name, listed.map(({ call }) => call)] as const];
  })
  .sort(([one], [other]) => (one < other ? -1 : 1));
writeFileSync(out!, `${JSON.stringify(Object.fromEntries(usual), null, 1)}\n`);
