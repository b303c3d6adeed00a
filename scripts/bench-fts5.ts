// Repeats the figures of docs/decisions/0002-own-bm25.md: compares our word index with SQLite's FTS5, on an existing
// index.
//   node dist/scripts/bench-fts5.js DATA_FOLDER
import Libsql from "libsql";
import { compose } from "../src/app/compose.js";
import { parseConfig } from "../src/config.js";
import { subwords } from "../src/python/subwords.js";

const QUERIES = 300;
const K = 200;

const [data] = process.argv.slice(2);
if (data === undefined)
  throw new Error("Name the data folder of an index: node dist/scripts/bench-fts5.js DATA_FOLDER");
const services = await compose(parseConfig({ ...process.env, CELREC_DATA: data }), {
  activity: "bench-fts5",
  hold: "call",
});
const codes: string[] = [];
for await (const cells of services.store.scan()) codes.push(...cells.map(({ code }) => code));

const table = new Libsql(":memory:");
table.exec("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61')");
const insert = table.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
table.transaction(() => {
  for (const [at, code] of codes.entries()) insert.run(at + 1, subwords(code).join(" "));
})();
const select = table.prepare("SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?");

const step = Math.max(1, Math.floor(codes.length / QUERIES));
const questions = codes
  .filter((_, at) => at % step === 0)
  .map((code) => [...new Set(subwords(code.slice(0, code.length / 2)))])
  .filter((words) => words.length > 0);
const times = { ours: [] as number[], fts5: [] as number[] };
for (const words of questions) {
  const weights = new Map(words.map((word) => [word, 1]));
  times.ours.push(await time(() => services.store.lexical({ words: weights, k: K })));
  const match = words.map((word) => `"${word.replaceAll('"', "")}"`).join(" OR ");
  times.fts5.push(await time(() => select.all(match, K)));
}
console.log(`${codes.length} cells, ${questions.length} questions, the ${K} best of each`);
for (const [name, values] of Object.entries(times)) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1);
  console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
}
await services.close();

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
