// Times the prediction metrics on 10,000 pairs of different cells: npm run build && node dist/scripts/bench-metrics.js FOLDER

import { PREDICTION_METRICS } from "../src/evaluate/metrics/index.js";
import { prepareText } from "../src/evaluate/text/prepare.js";
import { readNotebooks } from "../src/notebook/corpus/open-paths.js";
import { extractCells } from "../src/notebook/extract.js";
import { loadGrammar } from "../src/python/grammar.js";

const PAIRS = 10_000;

await loadGrammar();
const cells: string[] = [];
for await (const { parsed } of readNotebooks(process.argv.slice(2)))
  if ("notebook" in parsed) cells.push(...extractCells(parsed.notebook).map(({ code }) => code));
const codes = [...new Set(cells)].slice(0, 2 * PAIRS);
if (codes.length < 2) throw new Error("no cells to compare; usage: bench-metrics.js FOLDER...");
const start = performance.now();
const texts = codes.map(prepareText);
for (const metric of PREDICTION_METRICS) {
  const began = performance.now();
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const [result, reference] = [texts[(2 * pair) % texts.length]!, texts[(2 * pair + 1) % texts.length]!];
    const target = { rest: reference, reference };
    if (metric.kind === "pooled") metric.counts(result, target);
    else metric.of(result, target);
  }
  console.log(`${metric.name.padEnd(16)}${((performance.now() - began) / 1_000).toFixed(2)} s`);
}
console.log(`${PAIRS} pairs of ${texts.length} cells: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
