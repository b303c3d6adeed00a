// Streams a corpus to train-embedder.py: one JSON line per notebook, its cells cleaned and split into subwords.
// Run by train-embedder.py; to run it alone: node dist/scripts/train-embedder-corpus.js SEED PATHS...
import { createHash } from "node:crypto";
import { loadGrammar } from "../src/python/grammar.js";
import { strip } from "../src/python/strip.js";
import { subwords } from "../src/python/subwords.js";
import { type CorpusCell, readCorpus, splitOf } from "./train-embedder-notebooks.js";
import { createRandom, type Random, renameRandomly } from "./train-embedder-rename.js";

/** Maximum words per cell; the rest is pasted data. */
const MAX_WORDS = 1500;
/** Renamed copies per cell. */
const COPIES = 2;
const POOL_SIZE = 4000;

const [seed = "1", ...paths] = process.argv.slice(2);
const random = createRandom(Number(seed));
const pool: string[] = [];
const seen = new Set<string>();

await loadGrammar();
for await (const { group, name, cells } of readCorpus(paths)) {
  const line = JSON.stringify({
    group,
    split: splitOf(group),
    name,
    cells: cells.map((cell) => describeCell(cell, random)),
  });
  if (!process.stdout.write(`${line}\n`)) await new Promise((done) => process.stdout.once("drain", done));
}

/** Converts code to subwords per line, with renamed copies at its first occurrence, and Markdown to subwords. */
function describeCell({ type, source }: CorpusCell, random: Random): object {
  if (type === "markdown") return { type, words: subwords(source).slice(0, 200) };
  const clean = strip(source.slice(0, 60_000)).text;
  const id = createHash("sha256").update(clean).digest("hex").slice(0, 16);
  const lines = toLines(clean);
  if (seen.has(id)) return { type, id, lines };
  seen.add(id);
  collectWords(lines);
  const renamed = Array.from({ length: COPIES }, () => toLines(renameRandomly(clean, pool, random)));
  return { type, id, lines, renamed };
}

function toLines(code: string): string[][] {
  let left = MAX_WORDS;
  return code
    .split("\n")
    .map((line) => subwords(line).slice(0, Math.max(0, left)))
    .filter((words) => {
      left -= words.length;
      return words.length > 0;
    });
}

/** The pool of names: a random sample of the words seen so far. */
function collectWords(lines: readonly string[][]): void {
  for (const word of lines.flat()) {
    if (!/^[a-z]{2,12}$/.test(word) || word === "new") continue;
    if (pool.length < POOL_SIZE) pool.push(word);
    else pool[Math.floor(random() * POOL_SIZE)] = word;
  }
}
