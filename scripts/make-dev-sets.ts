// Makes seeds, typing cases and notebooks to index from folders of notebooks, for measuring on data that no fit has
// used:
//   npm run build && node dist/scripts/make-dev-sets.js OUT FOLDER...
// A FOLDER may also be a corpus of JSON lines, of which only the held-out notebooks are used. Then run, for example:
//   celrec eval celrec --seeds OUT/NAME-1.jsonl --distractors OUT/index/NAME
//   celrec eval typing --cases OUT/typing.jsonl --index OUT/index
//   celrec eval juice --notebooks OUT/held --index OUT/index
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { buildTyping } from "../src/evaluate/suites/typing/typing-cases.js";
import { loadGrammar } from "../src/python/grammar.js";
import { filledLines, strip } from "../src/python/strip.js";
import { type CorpusNotebook, readCorpus, splitOf } from "./train-embedder-notebooks.js";
import { createRandom, shuffle } from "./train-embedder-rename.js";

/** The lengths of the paper's seeds: 114 cells with 810 lines in all, 14 cells of one line, none longer than 20 lines. */
const SEED_SETS = 2;
const ONE_LINERS = 14;
const LONGER_SEEDS = 100;
const MAX_LINES = 20;
const MEAN_OF_LONGER = (810 - ONE_LINERS) / LONGER_SEEDS;

const [out, ...folders] = process.argv.slice(2);
if (out === undefined || folders.length === 0) throw new Error("usage: make-dev-sets.js OUT FOLDER...");
await loadGrammar();
const random = createRandom(7);
mkdirSync(out, { recursive: true });
const held: CorpusNotebook[] = [];
const own: { name: string; notebooks: CorpusNotebook[] }[] = [];
const stored = new Set<string>();
for (const folder of folders) {
  const name = basename(folder);
  const notebooks: CorpusNotebook[] = [];
  for await (const notebook of readCorpus([folder])) {
    const isCorpus = /\.jsonl(\.gz)?$/.test(folder);
    if (splitOf(notebook.group) === "measure") {
      if (!isCorpus) notebooks.push(notebook);
      writeHeld(name, notebook);
      continue;
    }
    if (isCorpus) continue;
    const target = join(out, "index", name, notebook.name);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(folder, notebook.name), target);
    for (const code of codeOf(notebook)) stored.add(strip(code).text);
  }
  own.push({ name, notebooks });
  held.push(...notebooks);
}
for (const { name, notebooks } of own) {
  const pool = shuffle(distinctCells(notebooks), random);
  for (let set = 1; set <= SEED_SETS; set += 1) {
    const seeds = drawSeeds(pool).map((source, at) => ({ id: `${name}-${set}-${at + 1}`, source }));
    writeLines(`${name}-${set}.jsonl`, seeds);
  }
}
const typing = buildTyping(held.map(({ name, cells }) => ({ name, notebook: { cells: [...cells] } })));
// The same cells without any typed code: with the cells before them, and with only the Markdown above.
const untyped = typing.map((each) => ({ ...each, fraction: 0, prefix: "", rest: each.reference }));
writeLines("typing.jsonl", typing);
writeLines(
  "next.jsonl",
  untyped.filter(({ preceding }) => preceding.length > 0),
);
writeLines(
  "markdown.jsonl",
  untyped.filter(({ markdown }) => markdown !== "").map((each) => ({ ...each, preceding: [] })),
);

/** Writes a held-out notebook as ipynb, with execution counts from top to bottom. */
function writeHeld(folder: string, { name, cells }: CorpusNotebook): void {
  const target = join(out!, "held", folder, name.endsWith(".ipynb") ? name : `${name}.ipynb`);
  mkdirSync(dirname(target), { recursive: true });
  const toCell = ({ type, source }: CorpusNotebook["cells"][number], at: number) => ({
    cell_type: type === "code" ? "code" : "markdown",
    metadata: {},
    source,
    ...(type === "code" && { outputs: [], execution_count: at + 1 }),
  });
  writeFileSync(target, JSON.stringify({ nbformat: 4, nbformat_minor: 2, metadata: {}, cells: cells.map(toCell) }));
}

/** Short cells that no notebook of the index contains. */
function distinctCells(notebooks: readonly CorpusNotebook[]): string[] {
  const cells = new Map<string, string>();
  for (const code of notebooks.flatMap(codeOf)) {
    const source = filledLines(code).join("\n");
    const clean = strip(source).text;
    if (clean !== "" && !stored.has(clean) && filledLines(source).length <= MAX_LINES) cells.set(clean, source);
  }
  return [...cells.values()];
}

/** Takes a set out of the pool. Short cells are skipped while the mean length is below the paper's. */
function drawSeeds(pool: string[]): string[] {
  const taken: string[] = [];
  let lines = 0;
  const take = (fits: (count: number) => boolean, count: number) => {
    for (let at = 0, left = count; at < pool.length && left > 0; ) {
      const size = filledLines(pool[at]!).length;
      if (!fits(size)) {
        at += 1;
        continue;
      }
      taken.push(...pool.splice(at, 1));
      lines += size;
      left -= 1;
    }
  };
  take((size) => size === 1, ONE_LINERS);
  take((size) => {
    const longer = taken.length - ONE_LINERS;
    const isShort = longer > 10 && (lines - ONE_LINERS) / longer < MEAN_OF_LONGER && size < MEAN_OF_LONGER;
    return size > 1 && !isShort;
  }, LONGER_SEEDS);
  return taken;
}

function codeOf({ cells }: CorpusNotebook): string[] {
  return cells.flatMap(({ type, source }) => (type === "code" ? [source] : []));
}

function writeLines(file: string, items: readonly object[]): void {
  writeFileSync(join(out!, file), items.map((item) => `${JSON.stringify(item)}\n`).join(""));
}
