import { beforeAll, describe, expect, it } from "vitest";
import { assetPath } from "../src/assets.js";
import { normalizeSource } from "../src/cells/extract.js";
import { strip } from "../src/clean/strip.js";
import type { Embedder } from "../src/embed/embedder.js";
import { createLexicalEmbedder } from "../src/embed/lexical.js";
import { createPiecesEmbedder } from "../src/embed/pieces.js";
import { createLabeller } from "../src/label/label.js";
import { labelNotebook } from "../src/label/label-notebook.js";
import { freeNames } from "../src/python/free-names.js";
import { subwords } from "../src/python/subwords.js";
import { tokenize } from "../src/python/tokenize.js";
import { profileCell } from "../src/recommend/features/profile.js";
import { profileQuery } from "../src/recommend/features/query-profile.js";

/**
 * The one file that measures: work on a cell grows with its size, not with the square of it. What counts is the time of
 * the processor, not of the clock; the least of some runs; and a growth of 4 in size may be one of 9 in work, where
 * squares would make it 16. A noisy machine gets more tries: what grows by squares fails all of them.
 */
const LONG = 120_000;
const SHORT = LONG / 4;
const MOST_GROWTH = 9;
const TRIES = 6;
/** Milliseconds below which nothing is said: there the compiler and the collector of garbage weigh more than the work. */
const NEGLIGIBLE = 60;

const UNITS = [
  "a?",
  "a?\n",
  "(",
  "()",
  "({[",
  "(\n",
  "x(\n!",
  "'",
  "'\n",
  '"""',
  'f"{',
  "f'{a:{",
  "\\",
  "\\\n",
  "#\n",
  "%",
  "%a\n",
  "%%foo\n",
  "= !",
  "\n",
  " ",
  "\n    ",
  "if a:",
  "if a:\n ",
  "lambda ",
  "lambda:",
  "match x:",
  "(\nfrom ",
  "import a.",
  "a.",
  "a ",
  "a\n",
  "a;",
  "def f(): pass\n",
  "def f\n",
  "@",
  "1",
  "1.",
  "A",
  "aB",
  "\u044f",
  "\ud800",
  "\0",
];

let pieces: Embedder;
const lexical = createLexicalEmbedder();
const labeller = createLabeller();

const STAGES: Readonly<Record<string, (code: string) => unknown>> = {
  normalise: normalizeSource,
  tokenize,
  strip,
  label: (code) => labeller.label(code, "cell"),
  "label a notebook": (code) => labelNotebook(labeller, [code]),
  subwords,
  "free names": (code) => freeNames(tokenize(code)),
  embed: (code) => pieces.embed([code], "cell"),
  "embed by words": (code) => lexical.embed([code], "cell"),
  profile: profileCell,
  "profile of a query": (code) => profileQuery(code, { before: [code], markdown: code }, () => 1),
};

beforeAll(async () => {
  pieces = await createPiecesEmbedder({ folder: assetPath("models/embedder") });
});

describe.each(Object.keys(STAGES))("%s", (stage) => {
  it("takes time in proportion to the size of hostile text", async () => {
    const wrong: string[] = [];
    for (const unit of UNITS) {
      const growth = await leastGrowth(STAGES[stage]!, unit);
      if (growth > MOST_GROWTH) wrong.push(`${JSON.stringify(unit)}: ${growth.toFixed(1)}`);
    }
    expect(wrong).toEqual([]);
  }, 300_000);
});

async function leastGrowth(work: (code: string) => unknown, unit: string): Promise<number> {
  let short = Number.POSITIVE_INFINITY;
  let long = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    long = Math.min(long, await cost(work, unit.repeat(LONG / unit.length)));
    if (long < NEGLIGIBLE) return 0;
    short = Math.min(short, await cost(work, unit.repeat(SHORT / unit.length)));
    if (long / short <= MOST_GROWTH) break;
  }
  return long / short;
}

async function cost(work: (code: string) => unknown, code: string): Promise<number> {
  const { user } = process.cpuUsage();
  await work(code);
  return (process.cpuUsage().user - user) / 1000;
}
