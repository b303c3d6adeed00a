import { openEmbedder, openLabeller } from "../../src/app/parts.js";
import { parseConfig } from "../../src/config.js";
import { loadGrammar, parses } from "../../src/python/grammar.js";
import { strip } from "../../src/python/strip.js";
import { makeCorpus } from "./corpus.js";
import type { Row } from "./table.js";

const CELLS = 10_000;
const GROUP = "one cell, one thread";

/** The time of each stage, compared with parsing. */
export async function benchStages(): Promise<Row[]> {
  const corpus = makeCorpus(CELLS);
  await loadGrammar();
  const labeller = await openLabeller(parseConfig({}));
  const embedder = await openEmbedder(parseConfig({}));
  const clean = corpus.map((code) => strip(code).text);
  await embedder.embed(clean.slice(0, 500), "cell");

  const parse = timeEach(corpus, parses);
  const cleaning = timeEach(corpus, (code) => strip(code));
  const labelling = timeEach(clean, (code) => labeller.label(code, "cell"));
  const start = performance.now();
  await embedder.embed(clean, "cell");
  const embedding = performance.now() - start;
  const perCell = (name: string, ms: number): Row => ({
    group: GROUP,
    name,
    value: (1000 * ms) / CELLS,
    unit: "us/cell",
  });
  return [
    perCell("parse with tree-sitter (floor)", parse),
    perCell("clean", cleaning),
    perCell("label", labelling),
    { group: GROUP, name: "label / parse", value: labelling / parse, unit: "x", limit: { atMost: 2 } },
    perCell("embed", embedding),
    { group: GROUP, name: "embed", value: CELLS / (embedding / 1000), unit: "cells/s", limit: { atLeast: 2_000 } },
  ];
}

/** The time of the second of two rounds; the first one is a warm-up. */
function timeEach(texts: readonly string[], action: (text: string) => unknown): number {
  let start = 0;
  for (let round = 0; round < 2; round += 1) {
    start = performance.now();
    for (const text of texts) action(text);
  }
  return performance.now() - start;
}
