// Counts, for each subword, the distinct cells of the training notebooks that contain it. Run by fit-rerank.py. To run
// it alone:
//   node dist/scripts/fit-rerank-frequencies.js OUT PATHS...
import { writeFileSync } from "node:fs";
import { loadGrammar } from "../src/python/grammar.js";
import { strip } from "../src/python/strip.js";
import { subwords } from "../src/python/subwords.js";
import { readCorpus, splitOf } from "./train-embedder-notebooks.js";

/** Minimum number of cells of a word. Rarer words count as unknown; both get the highest weight. */
const MIN_CELLS = 4;

const [out, ...paths] = process.argv.slice(2);
const counts = new Map<string, number>();
const seen = new Set<string>();
await loadGrammar();
for await (const { group, cells } of readCorpus(paths)) {
  if (splitOf(group) !== "train") continue;
  for (const { type, source } of cells) {
    const clean = type === "code" ? strip(source.slice(0, 60_000)).text : "";
    if (clean === "" || seen.has(clean)) continue;
    seen.add(clean);
    for (const word of new Set(subwords(clean))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
}
const words = [...counts].filter(([, count]) => count >= MIN_CELLS).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(out!, `${JSON.stringify({ cells: seen.size, words: Object.fromEntries(words) })}\n`);
