// Measures `celrec similar`: node dist/scripts/measure-similar.js FOLDER [SHARE...]. The query is half of a notebook
// whose other half is indexed, or a renamed and shuffled copy of an indexed notebook.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import renameVariables from "../mutators/rename-variables.js";
import { compose } from "../src/app/compose.js";
import { parseConfig } from "../src/config.js";
import { createRandom } from "../src/evaluate/statistics/bootstrap.js";
import { readCode } from "../src/ingest/read-content.js";
import { readNotebooks } from "../src/notebook/corpus/open-paths.js";
import { extractCells } from "../src/notebook/extract.js";
import type { NamedNotebook, NotebookFile } from "../src/notebook/notebook.js";
import { loadGrammar } from "../src/python/grammar.js";
import { createSimilarNotebooks } from "../src/similar/find-similar.js";
import { createNotebookBm25 } from "./bench/notebook-bm25.js";

const [folder = "examples/notebooks", ...shares] = process.argv.slice(2);
const QUERY_STEP = 5;
const MIN_CELLS = 8;
const K = 10;
const SEED = 1;

type Split = (code: NotebookFile["cells"]) => { readonly asked: NotebookFile; readonly stored: NotebookFile };
type Find = (asked: NotebookFile) => Promise<readonly string[]>;

const halve =
  (isFirst: (at: number, count: number) => boolean): Split =>
  (code) => ({
    asked: { cells: code.filter((_, at) => isFirst(at, code.length)) },
    stored: { cells: code.filter((_, at) => !isFirst(at, code.length)) },
  });

/** Ways to split a notebook into the query and the stored part. */
const SPLITS: Readonly<Record<string, Split>> = {
  "every other cell": halve((at) => at % 2 === 0),
  "cut in the middle": halve((at, count) => at < count / 2),
  "renamed and shuffled": (code) => {
    const random = createRandom(SEED);
    const renamed = code.map((cell) => ({
      cell: { ...cell, source: renameVariables.apply(cell.source) },
      at: random(),
    }));
    const cells = renamed.sort((one, other) => one.at - other.at).map(({ cell }) => cell);
    return { asked: { cells }, stored: { cells: code } };
  },
};

await loadGrammar();
const all: NamedNotebook[] = [];
for await (const { path, parsed } of readNotebooks([folder]))
  if ("notebook" in parsed) all.push({ name: path, notebook: parsed.notebook });

for (const [name, split] of Object.entries(SPLITS)) await measure(name, split);

async function measure(name: string, split: Split): Promise<void> {
  const parts = all.map((named, at) => {
    const isHeldOut = at % QUERY_STEP === 0 && extractCells(named.notebook).length >= MIN_CELLS;
    return { named, split: isHeldOut ? split(named.notebook.cells.filter(({ type }) => type === "code")) : null };
  });
  const queries = parts.flatMap(({ named, split }) =>
    split === null ? [] : [{ name: named.name, asked: split.asked }],
  );
  const stored = parts.map(({ named, split }) => ({ ...named, notebook: split?.stored ?? named.notebook }));
  const data = mkdtempSync(join(tmpdir(), "celrec-similar-"));
  const services = await compose(parseConfig({ CELREC_DATA: data }), { activity: "measure", hold: "session" });
  const { store, workers } = services;
  for (let from = 0; from < stored.length; from += 50) await services.ingest(stored.slice(from, from + 50));
  const results: Record<string, unknown> = { bm25: await meanScores(createNotebookBm25(stored, K), queries) };
  for (const share of shares.length > 0 ? shares : [null]) {
    const findSimilar = createSimilarNotebooks({
      store,
      make: workers.make,
      ...(share !== null && { wordShare: Number(share) }),
    });
    const find: Find = async (asked) => {
      const read = readCode(asked);
      return "code" in read ? (await findSimilar(read.code, { k: K })).map((found) => found.name) : [];
    };
    results[share === null ? "celrec" : `celrec, words ${share}`] = await meanScores(find, queries);
  }
  await services.close();
  rmSync(data, { recursive: true });
  console.log(JSON.stringify({ split: name, notebooks: all.length, queries: queries.length, ...results }));
}

async function meanScores(find: Find, queries: readonly { readonly name: string; readonly asked: NotebookFile }[]) {
  const start = performance.now();
  let [first, reciprocal] = [0, 0];
  for (const { name, asked } of queries) {
    const rank = (await find(asked)).indexOf(name) + 1;
    if (rank === 1) first += 1;
    if (rank > 0) reciprocal += 1 / rank;
  }
  const round = (value: number) => Number((value / queries.length).toFixed(3));
  return {
    "hit-rate@1": round(first),
    [`mrr@${K}`]: round(reciprocal),
    ms: Math.round(round(performance.now() - start)),
  };
}
