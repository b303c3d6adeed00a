// Writes the training lists of fit-rerank-trees.py: one JSON line per half-typed cell, with the features and gains of
// its candidates.
//   npm run build && node dist/scripts/make-dev-sets.js DEV FOLDER... && node dist/src/cli/main.js index DEV/index --data INDEX
//   node dist/scripts/fit-rerank-lists.js INDEX models/rerank LISTS FOLDER... CORPUS
// The index must not contain the `measure` split; make-dev-sets.js leaves it out. Cells of the same author never count
// as candidates.
import { closeSync, openSync, writeSync } from "node:fs";
import { compose } from "../src/app/compose.js";
import { parseConfig } from "../src/config.js";
import { callF1, callRecall } from "../src/evaluate/metrics/calls.js";
import { chrf } from "../src/evaluate/metrics/chrf.js";
import { contextOf, spreadCells } from "../src/evaluate/notebook-context.js";
import { hasCall, isSuitable, splitTyped } from "../src/evaluate/suites/typing/typing-cases.js";
import { prepareText } from "../src/evaluate/text/prepare.js";
import { normalizeSource } from "../src/notebook/extract.js";
import { strip } from "../src/python/strip.js";
import { FEATURES } from "../src/recommend/features/feature-table.js";
import { collectBest } from "./fit-rerank-best.js";
import { type CorpusNotebook, readCorpus, type Split, splitOf } from "./train-embedder-notebooks.js";

/** Maximum cases per notebook, by split; the `fit` split has most, because the embedder has not seen it. */
const CASES_PER_NOTEBOOK: Readonly<Record<Split, number>> = { fit: 9, train: 3, measure: 0 };
/** Limits for a large corpus: notebooks per repository, and cells per notebook. */
const MAX_PER_REPOSITORY = 90;
const MAX_PER_CORPUS = 2;
const MAX_CHARACTERS = 8000;
const FRACTIONS = [3, 2];

const [data, folder, out, ...paths] = process.argv.slice(2);
const services = await compose(parseConfig({ CELREC_DATA: data }), {
  activity: "fit-rerank",
  hold: "call",
  create: false,
});
await services.store.open();
const best = await collectBest(services, folder!);
const lists = openSync(out!, "w");
printLine({ features: FEATURES.map(({ name, sign }) => ({ name, sign })), embedder: services.embedder.id });
const seen = new Set<string>();
const perRepository = new Map<string, number>();
let turn = 0;
for (const path of paths) {
  const isCorpus = /\.jsonl(\.gz)?$/.test(path);
  for await (const notebook of readCorpus([path])) {
    const split = splitOf(notebook.group);
    if (split === "measure" || (isCorpus && !maxCases(notebook))) continue;
    const max = isCorpus && split === "train" ? MAX_PER_CORPUS : CASES_PER_NOTEBOOK[split];
    const cells = notebook.cells.filter((cell) => isShort(cell) && isSuitable(cell));
    for (const cell of spreadCells(cells, max)) {
      const clean = strip(normalizeSource(cell.source)).text;
      const { prefix, rest } = splitTyped(cell.source, FRACTIONS[turn % FRACTIONS.length]!);
      if (seen.has(clean) || !hasCall(rest)) continue;
      seen.add(clean);
      turn += 1;
      const context = contextOf(notebook.cells.slice(0, notebook.cells.indexOf(cell)));
      await writeList(
        notebook,
        split,
        isCorpus,
        { prefix, rest, clean, reference: normalizeSource(cell.source) },
        context,
      );
    }
  }
}
closeSync(lists);
await services.close();

interface Case {
  readonly prefix: string;
  readonly rest: string;
  readonly reference: string;
  readonly clean: string;
}

async function writeList(
  { group, name }: CorpusNotebook,
  split: Split,
  isCorpus: boolean,
  { prefix, rest, reference, clean }: Case,
  context: ReturnType<typeof contextOf>,
): Promise<void> {
  const cells = await best({ code: prefix, context, group });
  if (cells.length < 3) return;
  const target = { rest: prepareText(rest), reference: prepareText(reference) };
  const gains = cells.map(({ code, adapted, insert }) => {
    const own = prepareText(code);
    const texts = [own, prepareText(adapted), prepareText(insert)].map((text) => chrf.of(text, target)!);
    const calls = target.rest.calls.size === 0 ? [] : [callRecall.of(own, target)!, callF1.of(own, target)!];
    return [...texts, ...calls].map(round);
  });
  printLine({
    group,
    notebook: name,
    split,
    corpus: isCorpus,
    kaggle: !isCorpus && !name.includes("+"),
    lengths: cells.map(({ code }) => code.length),
    copies: cells.filter((cell) => cell.clean === clean).length,
    gaps: cells.map(({ gap }) => round(gap)),
    scores: cells.map(({ score }) => round(score)),
    rows: cells.map(({ row }) => Array.from(row, round)),
    gains,
  });
}

function maxCases({ name }: CorpusNotebook): boolean {
  const repository = name.split("/").slice(0, 2).join("/");
  const taken = perRepository.get(repository) ?? 0;
  perRepository.set(repository, taken + 1);
  return taken < MAX_PER_REPOSITORY;
}

function isShort({ source }: CorpusNotebook["cells"][number]): boolean {
  return source.length < MAX_CHARACTERS;
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

function printLine(line: object): void {
  writeSync(lists, `${JSON.stringify(line)}\n`);
}
