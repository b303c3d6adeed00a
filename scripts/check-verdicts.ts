// Compares our metrics with the verdicts of the authors' programs:
//   node dist/scripts/check-verdicts.js FOLDER
// Reads the *.jsonl files of the folder, and exits with 5 if too few verdicts agree.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { bleu, sentenceBleu } from "../src/evaluate/metrics/bleu.js";
import { codebleu, codebleuOfPackage, codebleuParts, codebleuPublished } from "../src/evaluate/metrics/codebleu.js";
import { rougeL } from "../src/evaluate/metrics/rouge-l.js";
import { ANSWER_TYPES, judgePublishedOutput } from "../src/evaluate/published/exeds-output.js";
import { readJuiceCode } from "../src/evaluate/published/juice.js";
import { characterGrams, chrF } from "../src/evaluate/text/character-grams.js";
import { wordGrams } from "../src/evaluate/text/ngrams.js";
import { type PreparedText, prepareText } from "../src/evaluate/text/prepare.js";
import { loadGrammar } from "../src/python/grammar.js";

/** The number of agreeing verdicts of one kind, and the required share. */
export interface Agreement {
  readonly name: string;
  readonly agree: number;
  readonly total: number;
  readonly atLeast: number;
}

const MISSED = 5;
const CANONICAL_LIMIT = 120;
/** Tolerance of a value. */
const TOLERANCE = { f1: 1e-6, codebleu: 1e-3, surface: 1e-6 };
/** The required share of agreeing verdicts, by the name of the metric up to its first blank. */
const AT_LEAST: Readonly<Record<string, number>> = {
  "output-em-published": 1,
  "api-sequence": 0.98,
  "canonical-tokens": 0.98,
  codebleu: 0.95,
  "codebleu-published": 0.95,
  bleu: 1,
  chrf: 1,
  "rouge-l": 1,
};

const parts = z.object({
  codebleu: z.number(),
  ngram: z.number(),
  weighted: z.number(),
  syntax: z.number(),
  dataflow: z.number(),
});
type Parts = z.infer<typeof parts>;

const outputPair = z.object({
  answer_type: z.string(),
  reference: z.string(),
  /** Further accepted outputs, if there are any. */
  answers: z.array(z.string()).optional(),
  prediction: z.string(),
  match: z.boolean(),
  f1: z.number(),
  match_by_type: z.record(z.string(), z.boolean()),
});
const apiPair = z.object({
  code: z.string(),
  api_sequence: z.array(z.string()).nullable(),
  api_sequence_context: z.array(z.string()).nullable(),
});
const canonicalCell = z.object({
  code: z.string(),
  tokens: z.array(z.string()).nullable(),
  within_120: z.boolean(),
});
const codePair = z.object({
  reference: z.string(),
  prediction: z.string(),
  reference_tokens: z.array(z.string()),
  prediction_tokens: z.array(z.string()),
  exeds_split_space: parts,
  exeds_python_tokens: parts,
  codebleu_package: parts,
  sacrebleu: z.object({ sentence_add1: z.number(), sentence_exp: z.number() }),
  chrf: z.number(),
  rouge_l: z.number(),
  rouge_package_l: z.number().nullable(),
  /** The values of the data flow over several runs, if the program gives more than one. */
  exeds_dataflow_seen: z.array(z.number()).nullable(),
});
const corpusFile = z.record(
  z.string(),
  z.object({ pairs: z.number(), sacrebleu_none: z.number(), rouge_l_mean: z.number(), chrf_mean: z.number() }),
);

type Count = (name: string, agrees: boolean) => void;

/** Compares every verdict in the JSON lines of a folder. The fields of a file determine its kind. */
export async function checkVerdicts(folder: string): Promise<Agreement[]> {
  await loadGrammar();
  const counts = new Map<string, { agree: number; total: number }>();
  const count: Count = (name, agrees) => {
    const known = counts.get(name) ?? { agree: 0, total: 0 };
    counts.set(name, { agree: known.agree + Number(agrees), total: known.total + 1 });
  };
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()) {
    const rows = readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line));
    const first = rows[0] ?? {};
    if ("match_by_type" in first) for (const row of rows) checkOutput(outputPair.parse(row), count);
    else if ("api_sequence" in first) for (const row of rows) checkApi(apiPair.parse(row), count);
    else if ("within_120" in first) for (const row of rows) checkCanonical(canonicalCell.parse(row), count);
    else if ("codebleu_package" in first)
      checkCode(
        rows.map((row) => codePair.parse(row)),
        join(folder, "codebleu-corpus.json"),
        count,
      );
    else
      throw new Error(
        `${file} contains no verdicts in a known format; its first line has: ${Object.keys(first).join(", ")}`,
      );
  }
  return [...counts].map(([name, { agree, total }]) => ({
    name,
    agree,
    total,
    atLeast: AT_LEAST[name.split(" ")[0]!]!,
  }));
}

function checkOutput(row: z.infer<typeof outputPair>, count: Count): void {
  const answers = row.answers ?? [row.reference];
  const verdict = judgePublishedOutput(row.prediction, answers, row.answer_type);
  count("output-em-published", verdict.match === row.match);
  for (const type of ANSWER_TYPES) {
    const wanted = row.match_by_type[type];
    if (wanted === undefined) continue;
    count("output-em-published (every type)", judgePublishedOutput(row.prediction, answers, type).match === wanted);
  }
  count("output-em-published (F1)", isNear(verdict.f1, row.f1, TOLERANCE.f1));
}

const isSame = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
const isNear = (a: number, b: number, by: number): boolean => Math.abs(a - b) <= by;

function checkApi(row: z.infer<typeof apiPair>, count: Count): void {
  const read = readJuiceCode(row.code);
  count("api-sequence", isSame(read?.apiSequence ?? null, row.api_sequence));
  count("api-sequence (context cells)", isSame(read?.contextApiSequence ?? null, row.api_sequence_context));
}

function checkCanonical(row: z.infer<typeof canonicalCell>, count: Count): void {
  const tokens = readJuiceCode(row.code)?.canonicalTokens ?? null;
  count("canonical-tokens", isSame(tokens, row.tokens));
  count(
    `canonical-tokens (within ${CANONICAL_LIMIT})`,
    (tokens !== null && tokens.length <= CANONICAL_LIMIT) === row.within_120,
  );
}

function checkCode(rows: readonly z.infer<typeof codePair>[], corpusPath: string, count: Count): void {
  for (const row of rows) {
    const [result, reference] = [prepareText(row.prediction), prepareText(row.reference)];
    count(
      "bleu (tokens)",
      isSame(result.tokens, row.prediction_tokens) && isSame(reference.tokens, row.reference_tokens),
    );
    const sums = codebleu.counts(result, { reference, rest: reference });
    const seen = row.exeds_dataflow_seen ?? [];
    checkParts("codebleu", codebleuOfPackage(sums), sums, row.codebleu_package, seen, count);
    checkParts("codebleu-published", codebleuPublished.of(sums)!, sums, row.exeds_python_tokens, seen, count);
    const split = withTokens(result, row.prediction.split(" "));
    const splitReference = withTokens(reference, row.reference.split(" "));
    const splitSums = codebleu.counts(split, { reference: splitReference, rest: splitReference });
    checkParts(
      "codebleu-published (split at blanks)",
      codebleuPublished.of(splitSums)!,
      splitSums,
      row.exeds_split_space,
      seen,
      count,
    );
    const counts = bleu.counts(result, { reference, rest: reference });
    const surface = (name: string, ours: number | null, theirs: number | null) =>
      count(name, ours === theirs || (ours !== null && theirs !== null && isNear(ours, theirs, TOLERANCE.surface)));
    surface("bleu (one cell, add one)", sentenceBleu(counts, "add-one"), row.sacrebleu.sentence_add1);
    surface("bleu (one cell, exp)", sentenceBleu(counts, "exp"), row.sacrebleu.sentence_exp);
    surface("chrf", rawChrf(row), row.chrf);
    surface("rouge-l", rougeL.of(result, { reference, rest: reference }), row.rouge_l);
    surface("rouge-l (package rouge)", rougePackageL(row.prediction, row.reference), row.rouge_package_l);
  }
  if (existsSync(corpusPath)) checkCorpus(rows, corpusFile.parse(JSON.parse(readFileSync(corpusPath, "utf8"))), count);
}

/** A data flow that differs from run to run agrees with any of the values seen. */
function checkParts(
  name: string,
  total: number,
  sums: readonly number[],
  theirs: Parts,
  seen: readonly number[],
  count: Count,
): void {
  const [ngram, weighted, syntax, flow] = codebleuParts(sums);
  const flows = [theirs.dataflow, ...seen];
  count(
    name,
    flows.some((other) => isNear(total, theirs.codebleu + (other - theirs.dataflow) / 4, TOLERANCE.codebleu)),
  );
  count(`${name} n-grams`, isNear(ngram, theirs.ngram, TOLERANCE.codebleu));
  count(`${name} weighted`, isNear(weighted, theirs.weighted, TOLERANCE.codebleu));
  count(`${name} syntax`, isNear(syntax, theirs.syntax, TOLERANCE.codebleu));
  count(
    `${name} data flow`,
    flows.some((other) => isNear(flow, other, TOLERANCE.codebleu)),
  );
}

function withTokens(text: PreparedText, tokens: readonly string[]): PreparedText {
  return {
    raw: text.raw,
    grams: text.grams,
    allGrams: text.allGrams,
    calls: text.calls,
    apiCalls: text.apiCalls,
    words: text.words,
    subtrees: text.subtrees,
    flows: text.flows,
    canonical: text.canonical,
    canonicalGrams: text.canonicalGrams,
    tokens,
    tokenGrams: wordGrams(tokens),
  };
}

const rawChrf = ({ prediction, reference }: { prediction: string; reference: string }): number =>
  chrF(characterGrams(prediction), characterGrams(reference));

/** Compares the figures over all pairs. The reference entry is the one with the same number of pairs. */
function checkCorpus(
  rows: readonly z.infer<typeof codePair>[],
  corpora: z.infer<typeof corpusFile>,
  count: Count,
): void {
  const corpus = Object.values(corpora).find(({ pairs }) => pairs === rows.length);
  if (corpus === undefined) return;
  const sums: number[] = [];
  for (const { prediction, reference } of rows) {
    const wanted = prepareText(reference);
    for (const [at, value] of bleu.counts(prepareText(prediction), { reference: wanted, rest: wanted }).entries())
      sums[at] = (sums[at] ?? 0) + value;
  }
  const mean = (of: (row: z.infer<typeof codePair>) => number) =>
    rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  count("bleu (all cells)", isNear(bleu.of(sums)!, corpus.sacrebleu_none, TOLERANCE.surface));
  count("chrf (mean)", isNear(mean(rawChrf), corpus.chrf_mean, TOLERANCE.surface));
  const rouge = (row: z.infer<typeof codePair>) => {
    const reference = prepareText(row.reference);
    return rougeL.of(prepareText(row.prediction), { reference, rest: reference })!;
  };
  count("rouge-l (mean)", isNear(mean(rouge), corpus.rouge_l_mean, TOLERANCE.surface));
}

async function main(folder: string | undefined): Promise<void> {
  if (folder === undefined) {
    console.error("usage: node dist/scripts/check-verdicts.js FOLDER (a folder of *.jsonl with verdicts)");
    process.exitCode = 2;
    return;
  }
  const agreements = await checkVerdicts(folder);
  if (agreements.length === 0) {
    console.error(`${folder} contains no *.jsonl with verdicts.`);
    process.exitCode = 2;
  }
  for (const { name, agree, total, atLeast } of agreements) {
    const share = agree / total;
    const mark = share < atLeast ? `  MISSED: needs ${(100 * atLeast).toFixed(0)} %` : "";
    console.log(
      `${name.padEnd(48)} ${String(agree).padStart(6)} of ${String(total).padStart(6)}  ${(100 * share).toFixed(1).padStart(5)} %${mark}`,
    );
    if (share < atLeast) process.exitCode = MISSED;
  }
}

/** Avoids a division by zero, as the package does. */
const EPSILON = 1e-8;

/**
 * ROUGE-L as in the Python package `rouge` 1.0.1, which ExeDS uses. Texts are split into sentences at every dot and
 * into words at white space, and each word counts once. The score is the F1 of the words in the union of all longest
 * common subsequences. Null if the package raises, because a text has no sentence.
 */
function rougePackageL(prediction: string, reference: string): number | null {
  const [given, wanted] = [sentences(prediction), sentences(reference)];
  if (given.length === 0 || wanted.length === 0) return null;
  const union = new Set<string>();
  for (const one of wanted) for (const other of given) for (const word of commonWords(one, other)) union.add(word);
  const recall = union.size / new Set(wanted.flat()).size;
  const precision = union.size / new Set(given.flat()).size;
  return (2 * precision * recall) / (precision + recall + EPSILON);
}

/** Python's white space. */
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** A sentence without words is one empty word. */
function sentences(text: string): string[][] {
  return text
    .split(".")
    .filter((sentence) => sentence !== "")
    .map((sentence) => sentence.split(SPACE).filter((word) => word !== ""))
    .map((words) => (words.length === 0 ? [""] : words));
}

/** The words of a longest common subsequence. Like the package, it walks back from the ends of the texts. */
function commonWords(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column < width; column += 1) {
      const at = row * width + column;
      const isEqual = a[row - 1] === b[column - 1];
      table[at] = isEqual ? table[at - width - 1]! + 1 : Math.max(table[at - width]!, table[at - 1]!);
    }
  }
  const words: string[] = [];
  let [row, column] = [a.length, b.length];
  while (row > 0 && column > 0) {
    const at = row * width + column;
    if (a[row - 1] === b[column - 1]) {
      words.push(a[row - 1]!);
      row -= 1;
      column -= 1;
    } else if (table[at - width]! > table[at - 1]!) row -= 1;
    else column -= 1;
  }
  return words;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2]);
