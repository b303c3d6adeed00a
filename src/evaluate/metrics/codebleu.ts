import { KEYWORDS } from "../../python/lex.js";
import { sharedGrams, type WordGrams } from "../text/ngrams.js";
import type { PreparedText } from "../text/prepare.js";
import { brevityPenalty } from "./bleu.js";
import type { PooledMetric } from "./metric.js";

const MAX_ORDER = 4;
/** Weight of a token that is not a keyword. */
const OTHER_WORD = 0.2;
/** Used instead of 0 matches, so that one order without a match does not make the product 0. */
const NO_MATCH = 0.1;
/**
 * The published program has a bug in its weighted part: as length of the reference it uses the length of a (tokens,
 * weights) pair.
 */
const PAIR_LENGTH = 2;

/** Positions of the parts in the list of counts. */
const COUNT_POSITIONS = {
  precision: 0,
  weighted: 2 * MAX_ORDER,
  length: 4 * MAX_ORDER,
  syntax: 4 * MAX_ORDER + 3,
  flow: 4 * MAX_ORDER + 5,
};

/**
 * codebleu = mean of four parts over all cases together, 0..1 (Ren et al. 2020): BLEU, in which an order without a
 * match counts as .1; n-gram recall with keywords weighted five times as much; the share of the reference's syntax
 * subtrees that the prediction has; and the share of the reference's data flow that the prediction has (1 if no
 * reference has any). The parts equal those of the package codebleu. An empty prediction adds nothing.
 */
export const codebleu: PooledMetric = {
  kind: "pooled",
  name: "codebleu",
  description: "N-grams, keywords, syntax and data flow in common with the real cell.",
  better: "higher",
  cut: false,
  counts: (result, { reference }) => [
    ...result.tokenGrams.map((grams, order) => sharedGrams(grams, reference.tokenGrams[order]!)),
    ...result.tokenGrams.map((_, order) => Math.max(1, result.tokens.length - order)),
    ...weightedCounts(result.tokenGrams, reference.tokenGrams),
    result.tokens.length,
    reference.tokens.length,
    PAIR_LENGTH,
    ...shareOfSubtrees(result, reference),
    ...shareOfFlows(result, reference),
  ],
  of: (sums) => {
    const [ngrams, weighted, syntax, flow] = codebleuParts(sums);
    return (ngrams + weighted + syntax + (hasFlow(sums) ? flow : 1)) / 4;
  },
  single: (counts) => codebleu.of(counts) ?? 0,
};

/** The total as in the package codebleu 0.7, where the data-flow part is 1 if nothing matches. */
export function codebleuOfPackage(sums: readonly number[]): number {
  const [ngrams, weighted, syntax, flow] = codebleuParts(sums);
  return (ngrams + weighted + syntax + (flow || 1)) / 4;
}

const hasFlow = (sums: readonly number[]): boolean => sums[COUNT_POSITIONS.flow + 1]! > 0;

/** The four parts, in the order of the formula; a data flow that no reference has is 0. */
export function codebleuParts(sums: readonly number[]): [number, number, number, number] {
  const [length, wanted, pairs] = sums.slice(COUNT_POSITIONS.length, COUNT_POSITIONS.syntax) as [
    number,
    number,
    number,
  ];
  const [syntax, subtrees] = sums.slice(COUNT_POSITIONS.syntax, COUNT_POSITIONS.flow) as [number, number];
  const [flow, flows] = sums.slice(COUNT_POSITIONS.flow) as [number, number];
  return [
    geometricMean(sums, COUNT_POSITIONS.precision) * brevityPenalty(length, wanted),
    geometricMean(sums, COUNT_POSITIONS.weighted) * brevityPenalty(length, pairs),
    subtrees === 0 ? 0 : syntax / subtrees,
    flows === 0 ? 0 : flow / flows,
  ];
}

function geometricMean(sums: readonly number[], from: number): number {
  if (sums[from] === 0) return 0;
  let logs = 0;
  for (let order = from; order < from + MAX_ORDER; order += 1) {
    logs += Math.log((sums[order]! || NO_MATCH) / sums[order + MAX_ORDER]!);
  }
  return Math.exp(logs / MAX_ORDER);
}

/** The matched and the total weight of the reference's n-grams; keywords weigh most. */
function weightedCounts(result: WordGrams, reference: WordGrams): number[] {
  const weightOf = (order: number) => (order === 0 ? wordWeight : () => 1);
  return [
    ...reference.map((grams, order) => sharedGrams(grams, result[order]!, weightOf(order))),
    ...reference.map((grams, order) => Math.max(1, sharedGrams(grams, grams, weightOf(order)))),
  ];
}

const SOFT_KEYWORDS = new Set(["match", "case", "type"]);
const wordWeight = (word: string): number => (KEYWORDS.has(word) || SOFT_KEYWORDS.has(word) ? 1 : OTHER_WORD);

function shareOfSubtrees(result: PreparedText, reference: PreparedText): [number, number] {
  const known = new Set(result.subtrees);
  return [reference.subtrees.filter((shape) => known.has(shape)).length, reference.subtrees.length];
}

/** Each flow of the prediction matches at most one of the reference. */
function shareOfFlows(result: PreparedText, reference: PreparedText): [number, number] {
  const left = new Map<string, number>();
  for (const flow of result.flows) left.set(flow, (left.get(flow) ?? 0) + 1);
  let found = 0;
  for (const flow of reference.flows) {
    const count = left.get(flow) ?? 0;
    if (count === 0) continue;
    left.set(flow, count - 1);
    found += 1;
  }
  return [found, reference.flows.length];
}

/**
 * codebleu-published = codebleu as computed by ExeDS's program: if no reference has a data flow, that part is 0 instead
 * of 1.
 */
export const codebleuPublished: PooledMetric = {
  ...codebleu,
  name: "codebleu-published",
  description: "CodeBLEU as the program of ExeDS adds it up.",
  of: (sums) => codebleuParts(sums).reduce((sum, part) => sum + part / 4, 0),
  single: (counts) => codebleuPublished.of(counts) ?? 0,
};
