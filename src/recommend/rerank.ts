import type { NameOrigins } from "./answer/name-evidence.js";
import { compareCells, type Feature, type QueryVectors } from "./features/compare-cells.js";
import { FEATURES } from "./features/feature-table.js";
import { type InverseFrequency, profileQuery, type QueryContext } from "./features/query-profile.js";
import { createProfiles, type Profiles } from "./profiles.js";
import type { AnswerMode } from "./recommendation.js";
import {
  type FindWords,
  type RerankKind,
  type RerankModel,
  readCommonWords,
  readInverseFrequency,
  readOnceCalls,
  readRerankModel,
  readUsualOrigins,
} from "./rerank-model.js";
import { type Boost, createBoost, highest } from "./trees.js";

export interface RerankQuery {
  readonly code: string;
  readonly mode: AnswerMode;
  readonly context?: QueryContext;
  /** Vectors of the code, the preceding cell and the Markdown, all embedded as queries. */
  readonly vectors: QueryVectors;
  /** Id of the embedder. Confidences exist only for embedders that the model was calibrated with. */
  readonly embedder: string;
}

export interface RerankCandidate {
  readonly id: string;
  /** The packed profile. */
  readonly profile: Uint8Array;
  readonly vector: Float32Array | null;
  /** Cosine between the cell before the query and the cell before this candidate; 0 by default. */
  readonly follows?: number | undefined;
}

export interface RankedCandidate {
  readonly id: string;
  readonly score: number;
  /** Probability that the hit is useful; null if uncalibrated. */
  readonly confidence: number | null;
  /**
   * Each feature's contribution to the score, as a share of the sum of all absolute contributions. Features without
   * effect are left out.
   */
  why(): Record<string, number>;
}

export interface Reranker {
  /** Best first; ties go to the smaller id. Pure. */
  rerank(query: RerankQuery, candidates: readonly RerankCandidate[]): RankedCandidate[];
  /** The profiles to compare. */
  readonly profiles: Profiles;
  /** Inverse document frequency of a word. */
  readonly idf: InverseFrequency;
  readonly findWords: FindWords;
  readonly usualOrigins: NameOrigins;
}

/** Cache size for profiles, enough for about 20,000 cells. Successive keystrokes need mostly the same profiles. */
const MAX_PROFILE_BYTES = 32 * 2 ** 20;

interface RerankerOptions {
  /** Folder of the model. */
  readonly folder: string;
  readonly maxProfileBytes?: number;
}

/** Creates the second stage: a linear score over features, to which regression trees add in mode `complete`. */
export async function createReranker({
  folder,
  maxProfileBytes = MAX_PROFILE_BYTES,
}: RerankerOptions): Promise<Reranker> {
  const model = await readRerankModel(folder);
  const idf = await readInverseFrequency(folder);
  const findWords = await readCommonWords(folder);
  const isOnce = await readOnceCalls(folder);
  const usualOrigins = await readUsualOrigins(folder);
  const scorers = {
    similar: createScorer(model, "similar"),
    complete: createScorer(model, "complete"),
    next: createScorer(model, "next"),
    markdown: createScorer(model, "markdown"),
  } satisfies Record<RerankKind, Scorer>;

  return {
    rerank(query, candidates) {
      const { features, weights, boost, calibrated } = scorers[kindOf(query)];
      const profile = profileQuery(query.code, query.context ?? {}, idf, isOnce);
      const rows = compareCells(features, profile, query.vectors, candidates);
      const calibration = calibrated.find(({ embedder }) => query.embedder.startsWith(embedder));
      const sums = new Float64Array(rows.length);
      for (let at = 0; at < rows.length; at += 1) sums[at] = weigh(rows[at]!, weights);
      const scores = boost?.add(rows, sums) ?? sums;
      const best = highest(sums);
      return rows
        .map((row, at) => ({
          id: candidates[at]!.id,
          score: scores[at]!,
          confidence: calibration === undefined ? null : logistic(calibration.bias + weigh(row, calibration.weights)),
          why: () => explain(features, row, weights, boost?.explain(row, best - sums[at]!)),
        }))
        .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
    },
    profiles: createProfiles(maxProfileBytes),
    idf,
    findWords,
    usualOrigins,
  };
}

interface RerankInput {
  readonly code: string;
  readonly mode: AnswerMode;
  readonly context?: QueryContext | undefined;
}

/** The kind of question. An empty cell is ranked by the cells before it, or by the Markdown if there are none. */
export function kindOf({ code, mode, context }: RerankInput): RerankKind {
  if (code.trim() !== "") return mode;
  const before = context?.before?.some((cell) => cell.trim() !== "") ?? false;
  return !before && context?.markdown ? "markdown" : "next";
}

/** The features of one kind of query, with their weights. */
interface Scorer {
  readonly features: readonly Feature[];
  readonly weights: Float64Array;
  readonly boost: Boost | null;
  readonly calibrated: readonly { readonly embedder: string; readonly bias: number; readonly weights: Float64Array }[];
}

function createScorer({ weights, trees: shared, confidence }: RerankModel, kind: RerankKind): Scorer {
  const own = weights[kind];
  const trees = kind === "complete" ? shared : undefined;
  const parts = confidence.filter((part) => part.kind === kind);
  const features = FEATURES.filter(
    ({ name }) => own[name] || trees?.inputs.includes(name) || parts.some((part) => part.weights[name]),
  );
  const toList = (values: Readonly<Record<string, number>>) =>
    Float64Array.from(features, ({ name }) => values[name] ?? 0);
  const calibrated = parts.map((part) => ({ ...part, weights: toList(part.weights) }));
  const names = features.map(({ name }) => name);
  return { features, weights: toList(own), boost: trees ? createBoost(trees, names) : null, calibrated };
}

function weigh(row: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < row.length; at += 1) sum += row[at]! * weights[at]!;
  return sum;
}

function explain(
  features: readonly Feature[],
  row: Float64Array,
  weights: Float64Array,
  boosted?: Float64Array,
): Record<string, number> {
  const parts = Float64Array.from(row, (value, at) => value * weights[at]! + (boosted?.[at] ?? 0));
  const total = parts.reduce((sum, part) => sum + Math.abs(part), 0);
  const why: Record<string, number> = {};
  for (const [at, { name }] of features.entries()) if (parts[at] !== 0) why[name] = parts[at]! / total;
  return why;
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
