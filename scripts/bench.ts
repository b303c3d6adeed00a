// Run after a change that may cost speed: `npm run bench`. Prints a table and writes bench-results.json.
// Some parts only run if they are named:
//   npm run bench -- scale [SIZES]                             10,000 to 1,000,000 cells, an hour; also writes bench-scale.html
//   npm run bench -- answer [--index FOLDER] [--record]        after a change of the read path; see docs/benchmarks.md
//   npm run bench -- completing 24000, or --index FOLDER       after a change of completions
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { loadGrammar } from "../src/python/grammar.js";
import { benchAnswer } from "./bench/answer.js";
import { benchCodebert } from "./bench/codebert.js";
import { benchCompleting } from "./bench/completing.js";
import { benchGrowth } from "./bench/growth.js";
import { benchIndexing } from "./bench/indexing.js";
import { benchMilvus } from "./bench/milvus.js";
import { benchRecommending } from "./bench/recommending.js";
import { benchScale } from "./bench/scale.js";
import { benchStages } from "./bench/stages.js";
import { benchStalls } from "./bench/stalls.js";
import { printRows, type Row } from "./bench/table.js";

const SIZES = [10_000, 100_000];
const SCALE_SIZES = [10_000, 100_000, 1_000_000];

await loadGrammar();
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    against: { type: "string" },
    "against-index": { type: "string" },
    record: { type: "boolean", default: false },
    model: { type: "string" },
  },
});
const wanted = positionals.filter((word) => !/^\d+$/.test(word));
const sizes = positionals.filter((word) => /^\d+$/.test(word));
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const rows: Row[] = [];
const report = (more: readonly Row[]) => {
  printRows(more);
  rows.push(...more);
};
if (isWanted("stages")) report(await benchStages());
if (isWanted("growth")) report(await benchGrowth());
if (isWanted("stalls")) report(await benchStalls());
if (isWanted("indexing")) report(await benchIndexing());
if (isWanted("recommending")) for (const size of SIZES) report(await benchRecommending(size));
// Runs only if it is named, because it makes an index of 100,000 cells, or needs one.
if (wanted.includes("answer")) report(await benchAnswer({ ...values, againstIndex: values["against-index"] }));
if (isWanted("completing"))
  for (const size of values.index === undefined && sizes.length > 0 ? sizes.map(Number) : [24_000])
    report(await benchCompleting(size, values.index));
if (wanted.includes("scale")) await benchScale(sizes.length > 0 ? sizes.map(Number) : SCALE_SIZES, report);
// Runs only if it is named, because it needs a server: npm run bench -- milvus [cells].
if (wanted.includes("milvus")) report(await benchMilvus(Number(sizes[0] ?? 100_000)));
// Runs only if it is named, because it needs a model folder: npm run bench -- codebert --model FOLDER.
if (wanted.includes("codebert")) report(await benchCodebert(values.model ?? "codebert"));
const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
writeFileSync("bench-results.json", `${JSON.stringify({ machine, rows }, null, 2)}\n`);
