// Run to measure `celrec similar`: half of a notebook is asked for, the other half is in the index among whole notebooks.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extractCells } from "../src/cells/extract.js";
import { compose } from "../src/compose.js";
import { parseConfig } from "../src/config.js";
import { readCode } from "../src/ingest/read-content.js";
import { listNotebooks, readNotebookFile } from "../src/notebook/files.js";
import type { NotebookFile } from "../src/notebook/notebook.js";
import { subwords } from "../src/python/subwords.js";
import { createSimilarNotebooks } from "../src/similar/similar-notebooks.js";

const [folder = "examples/notebooks", split = "alternate"] = process.argv.slice(2);
const EVERY = 5;
const LEAST_CELLS = 8;
const K = 10;

const all = listNotebooks([folder]).flatMap(({ path, name }) => {
  const parsed = readNotebookFile({ path, name });
  return "notebook" in parsed ? [{ name, notebook: parsed.notebook }] : [];
});
const isHeldOut = (place: number) => place % EVERY === 0 && extractCells(all[place]!.notebook).length >= LEAST_CELLS;

/** Every other cell, or the cells before the middle; and the rest. */
function halve({ cells }: NotebookFile): [NotebookFile, NotebookFile] {
  const code = cells.filter(({ type }) => type === "code");
  const isFirst = (at: number) => (split === "alternate" ? at % 2 === 0 : at < code.length / 2);
  return [{ cells: code.filter((_, at) => isFirst(at)) }, { cells: code.filter((_, at) => !isFirst(at)) }];
}

const queries = all.flatMap(({ name, notebook }, place) =>
  isHeldOut(place) ? [{ name, half: halve(notebook)[0] }] : [],
);
const stored = all.map(({ name, notebook }, place) => ({
  name,
  notebook: isHeldOut(place) ? halve(notebook)[1] : notebook,
}));

const data = mkdtempSync(join(tmpdir(), "celrec-similar-"));
const services = await compose(parseConfig({ CELREC_DATA: data }), { activity: "measure", hold: "session" });
for (let from = 0; from < stored.length; from += 50) await services.ingest(stored.slice(from, from + 50));
const findSimilar = createSimilarNotebooks({ store: services.store, make: services.workers.make });
const ours = await ranksOf(async (half) => {
  const read = readCode(half);
  return "code" in read ? (await findSimilar(read.code, { k: K })).map(({ name }) => name) : [];
});
const searchWords = createBm25();
const words = await ranksOf(async (half) => searchWords(half));
await services.close();
rmSync(data, { recursive: true });
console.log(
  JSON.stringify({ notebooks: all.length, queries: queries.length, split, celrec: ours, bm25: words }, null, 2),
);

async function ranksOf(find: (half: NotebookFile) => Promise<readonly string[]>) {
  const start = performance.now();
  let [first, reciprocal] = [0, 0];
  for (const { name, half } of queries) {
    const rank = (await find(half)).indexOf(name) + 1;
    if (rank === 1) first += 1;
    if (rank > 0) reciprocal += 1 / rank;
  }
  const ms = (performance.now() - start) / queries.length;
  return { "hit-rate@1": first / queries.length, [`mrr@${K}`]: reciprocal / queries.length, ms: Math.round(ms) };
}

/** BM25 over whole notebooks, each one text. */
function createBm25() {
  const bag = ({ cells }: NotebookFile) => {
    const counts = new Map<string, number>();
    for (const word of cells.filter(({ type }) => type === "code").flatMap(({ source }) => subwords(source)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  };
  const bags = stored.map(({ notebook }) => bag(notebook));
  const lengths = bags.map((counts) => [...counts.values()].reduce((sum, count) => sum + count, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const frequency = new Map<string, number>();
  for (const counts of bags) for (const word of counts.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return (half: NotebookFile): string[] => {
    const query = bag(half);
    const scores = bags.map((counts, place) => {
      let score = 0;
      for (const word of query.keys()) {
        const count = counts.get(word);
        if (count === undefined) continue;
        const df = frequency.get(word)!;
        const idf = Math.log(1 + (bags.length - df + 0.5) / (df + 0.5));
        score += (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * lengths[place]!) / mean));
      }
      return { name: stored[place]!.name, score };
    });
    return scores
      .sort((one, other) => other.score - one.score)
      .slice(0, K)
      .map(({ name }) => name);
  };
}
