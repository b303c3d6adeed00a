// Notebooks, folds and the prior, for the scripts that train and measure the completer.
import { createHash } from "node:crypto";
import { createContextIndex } from "../src/complete/context-index.js";
import { countCopy, createLearner, type LearntStreams, learnNameRoles } from "../src/complete/learn.js";
import type { IndexSegment } from "../src/complete/predict.js";
import { buildPrior, type PriorArrays } from "../src/complete/prior.js";
import type { NameRoles } from "../src/complete/roles.js";
import { CELL_CLASS, CLASS_COUNT, kindOf, LINE_CLASS, STRING } from "../src/complete/token-classes.js";
import { WRAP } from "../src/complete/tokens.js";
import { createVocabulary, type Vocabulary } from "../src/complete/vocabulary.js";
import { type CorpusCell, readCorpus } from "./train-embedder-notebooks.js";

/** The use of a notebook. Everything is fitted on notebooks that the prior and the index have not seen. */
export type Part = "learn" | "weights" | "calibration" | "measure";

export interface TrainingNotebook {
  readonly name: string;
  readonly author: string;
  /** The path from which it was read. */
  readonly path: string;
  readonly part: Part;
  /** Whether the author is held out of the second round of the fit. */
  readonly isSecondRound: boolean;
  /** Whether no notebook of its author was used for training. */
  readonly isNewAuthor: boolean;
  /** Whether the notebook comes from a folder; these notebooks form the simulated user's index. */
  readonly isIndexed: boolean;
  /** The code cells. */
  readonly cells: readonly string[];
  /** The Markdown directly above each code cell. */
  readonly markdown: readonly string[];
  /** All code and Markdown cells. */
  readonly all: readonly CorpusCell[];
}

/**
 * Notebooks are split into 24 folds: fold 0 is for measuring, folds 1, 2 and 4 fit the mixture and the net, fold 3 fits
 * the calibration, and the others train the prior. In addition, one author in twelve is only used for measuring. Three
 * authors in twelve are held out for a second round, in which the mixture and the net are fitted on their notebooks.
 */
const PARTS = 24;
const PART_OF: Readonly<Record<number, Part>> = {
  0: "measure",
  1: "weights",
  2: "weights",
  4: "weights",
  3: "calibration",
};
const AUTHORS = 12;
const SECOND_ROUND = new Set([2, 3, 8]);
/** A salt that spreads the large repositories of our corpus over both splits. */
const AUTHOR_SALT = 7;
const MIN_AUTHORS = 5;
const MAX_PRIOR_ORDER = 8;
const MIN_PAIRS = 10;
const MAX_CELL = 60_000;
/** Matches string arguments that belong to a library: short, lower case, no path and no sentence. */
const API_STRING = /^'[a-z0-9_+\-.^:|,%]{0,24}'$/;

export async function readNotebooks(paths: readonly string[]): Promise<TrainingNotebook[]> {
  const all: TrainingNotebook[] = [];
  for (const path of paths) {
    for await (const { group, name, cells } of readCorpus([path])) {
      const author = hashOf(`author ${AUTHOR_SALT} ${group}`) % AUTHORS;
      const isNewAuthor = author === 0;
      all.push({
        name,
        author: group,
        path,
        part: isNewAuthor ? "measure" : (PART_OF[hashOf(`${group}/${name}`) % PARTS] ?? "learn"),
        isSecondRound: SECOND_ROUND.has(author),
        isNewAuthor,
        isIndexed: !/\.jsonl(\.gz)?$/.test(path),
        cells: cells.filter(isUsable).map(({ source }) => source),
        markdown: markdownAbove(cells),
        all: cells,
      });
    }
  }
  return all.sort((a, b) => (a.author < b.author ? -1 : a.author > b.author ? 1 : 0));
}

function markdownAbove(cells: readonly CorpusCell[]): string[] {
  const above: string[] = [];
  let text = "";
  for (const cell of cells) {
    if (isUsable(cell)) above.push(text);
    text = cell.type === "markdown" ? `${text}\n\n${cell.source}` : "";
  }
  return above;
}

function hashOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32LE(0);
}

function isUsable({ type, source }: CorpusCell): boolean {
  return type === "code" && source.trim() !== "" && source.length < MAX_CELL;
}

/** The streams of notebooks, each distinct cell once. */
function readStreams(from: readonly TrainingNotebook[], vocabulary: Vocabulary, nameRoles: NameRoles) {
  const learner = createLearner(vocabulary, nameRoles);
  const seen = new Map<string, number>();
  const authorsOf = new Map<string, number>();
  const spans: [number, number, number][] = [];
  for (const { author, cells } of from) {
    const start = learner.tokens;
    const copies = cells.map((code) => countCopy(seen, code.trim()));
    learner.read(cells, (index) => copies[index]!);
    if (!authorsOf.has(author)) authorsOf.set(author, authorsOf.size);
    spans.push([start, learner.tokens, authorsOf.get(author)!]);
  }
  const authors = new Int32Array(learner.tokens);
  for (const [start, end, author] of spans) authors.fill(author, start, end);
  return { streams: learner.finish(), authors };
}

/** The notebooks of folders, or a share of them. */
export function indexedOf(from: readonly TrainingNotebook[], share: number): TrainingNotebook[] {
  return from.filter(({ isIndexed, name }) => isIndexed && hashOf(`indexed ${name}`) < share * 2 ** 32);
}

/** A notebook source with these notebooks, as an index has them. */
export function learnIndex(
  from: readonly TrainingNotebook[],
  vocabulary: Vocabulary,
  nameRoles: NameRoles,
): IndexSegment {
  const { streams } = readStreams(from, vocabulary, nameRoles);
  const wrap = vocabulary.idOf(WRAP);
  return { names: createContextIndex(streams.names, wrap), roles: createContextIndex(streams.roles, wrap) };
}

interface LearntPrior {
  readonly prior: PriorArrays;
  readonly vocabulary: Vocabulary;
  readonly nameRoles: Map<string, string>;
  readonly pairs: Uint8Array;
}

export function learnPrior(from: readonly TrainingNotebook[]): LearntPrior {
  const nameRoles = learnNameRoles(from, MIN_AUTHORS);
  const vocabulary = createVocabulary();
  const { streams, authors } = readStreams(from, vocabulary, nameRoles);
  const isAllowed = (id: number) => {
    const text = vocabulary.textOf(id);
    return kindOf(text) !== STRING || API_STRING.test(text);
  };
  const wrap = vocabulary.add(WRAP);
  const options = { authors, minAuthors: MIN_AUTHORS, maxOrder: MAX_PRIOR_ORDER, isAllowed, wrap };
  return { prior: buildPrior(streams.roles, options), vocabulary, nameRoles, pairs: countPairs(streams, vocabulary) };
}

/** The pairs of token classes that occur next to each other. */
function countPairs({ names: { context } }: LearntStreams, vocabulary: Vocabulary): Uint8Array {
  const counts = new Int32Array(CLASS_COUNT * CLASS_COUNT);
  for (let at = 1; at < context.length; at += 1) {
    if (context[at] === 0 || context[at - 1] === 0) continue;
    const before = vocabulary.classAt(context[at - 1]!);
    counts[(before === CELL_CLASS ? LINE_CLASS : before) * CLASS_COUNT + vocabulary.classAt(context[at]!)]! += 1;
  }
  return Uint8Array.from(counts, (count) => (count >= MIN_PAIRS ? 1 : 0));
}
