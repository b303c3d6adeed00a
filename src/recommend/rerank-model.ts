import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { manifestSchema, readManifest, readModelJson } from "../embed/model-files.js";
import { hashText } from "../python/profile.js";
import type { NameOrigins } from "./answer/name-evidence.js";
import type { InverseFrequency, OnceCalls } from "./features/query-profile.js";
import { ANSWER_MODES } from "./recommendation.js";
import { treesSchema } from "./trees.js";

const weightsSchema = z.record(z.string(), z.number());

const modelSchema = z.object({
  revision: z.string(),
  /** Weight per feature, for each kind of question. */
  weights: z.object({
    similar: weightsSchema,
    complete: weightsSchema,
    next: weightsSchema,
    markdown: weightsSchema,
  }),
  /** Regression trees whose scores are added in mode `complete`. */
  trees: treesSchema.optional(),
  /** Per embedder (by the start of its id) and kind of question: a logistic model of "this hit is useful". */
  confidence: z.array(
    z.object({
      embedder: z.string(),
      kind: z.enum([...ANSWER_MODES, "markdown"]),
      bias: z.number(),
      weights: weightsSchema,
    }),
  ),
});

const frequenciesSchema = z.object({ cells: z.number().positive(), words: z.record(z.string(), z.number()) });

export type RerankModel = z.infer<typeof modelSchema>;
export type RerankKind = keyof RerankModel["weights"];

export async function readRerankModel(folder: string): Promise<RerankModel> {
  return readJson(folder, "weights.json", modelSchema);
}

/** Inverse document frequencies in the training notebooks. An unknown word has the highest one. */
export async function readInverseFrequency(folder: string): Promise<InverseFrequency> {
  const { cells, words } = await readJson(folder, "frequencies.json", frequenciesSchema);
  const held = new Map(Object.entries(words));
  return (word) => Math.log(1 + (cells + 0.5) / ((held.get(word) ?? 0) + 0.5));
}

/** Common words that start with a half-typed one, the most frequent first. */
export type FindWords = (begun: string) => string[];

/** Number of words that replace a half-typed one in a search. */
const MAX_WORDS = 3;

/** Finds completions of a half-typed word among the common words of the training notebooks. */
export async function readCommonWords(folder: string): Promise<FindWords> {
  const { words } = await readJson(folder, "frequencies.json", frequenciesSchema);
  const byFrequency = Object.entries(words).sort(([, left], [, right]) => right - left);
  const rankOf = new Map(byFrequency.map(([word], rank) => [word, rank]));
  const sorted = [...rankOf.keys()].sort();
  const ranks = Int32Array.from(sorted, (word) => rankOf.get(word)!);
  return (begun) => {
    const found: number[] = [];
    // Two letters are the start of a thousand words, so only their ranks are compared.
    for (let at = firstFrom(sorted, begun); sorted[at]?.startsWith(begun); at += 1) {
      if (found.length === MAX_WORDS && ranks[at]! > ranks[found.at(-1)!]!) continue;
      if (sorted[at] === begun) continue;
      const place = found.findIndex((other) => ranks[at]! < ranks[other]!);
      found.splice(place === -1 ? found.length : place, 0, at);
      if (found.length > MAX_WORDS) found.pop();
    }
    return found.map((at) => sorted[at]!);
  };
}

/** The index of the first word that does not come before `wanted`. */
function firstFrom(sorted: readonly string[], wanted: string): number {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The calls that are rarely repeated in the training notebooks. `repeats.json` has, for each call, how often one of the
 * next five cells makes it again. Unknown calls, and calls repeated at least half of the time, count as repeated.
 */
export async function readOnceCalls(folder: string): Promise<OnceCalls> {
  const rates = await readJson(folder, "repeats.json", z.record(z.string(), z.number()));
  const once = new Map(Object.entries(rates).map(([name, rate]) => [hashText(name), Math.max(0, 1 - 2 * rate)]));
  return (call) => once.get(call) ?? 0;
}

/**
 * The call that usually makes the value of a variable with a certain name, in the training notebooks: `X_test` is the
 * second result of `train_test_split`. Empty for a model that was trained before there was such a file.
 */
export async function readUsualOrigins(folder: string): Promise<NameOrigins> {
  const { sha256 } = await readManifest(folder, manifestSchema);
  if (!(ORIGINS in sha256)) return new Map();
  const calls = await readJson(folder, ORIGINS, z.record(z.string(), z.array(z.string())));
  return new Map(Object.entries(calls));
}

async function readJson<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T> {
  return readModelJson(folder, await readManifest(folder, manifestSchema), name, schema);
}

const FOLDER = "rerank";
/** Files with counts of the training notebooks. */
const ORIGINS = "origins.json";
const COUNTS = ["frequencies.json", "repeats.json", ORIGINS];

/** The folder of the model that was trained for this index. */
function ownModelFolder(data: string): string {
  return join(data, FOLDER);
}

/** The folder of the ranking model: the one trained for this index, else the shipped one. */
export function chooseModelFolder(data: string, shipped: string): string {
  const own = ownModelFolder(data);
  return existsSync(join(own, "model.json")) ? own : shipped;
}

/** Writes a model beside the index atomically. The word counts are copied from the model that training started from. */
export function writeOwnModel(data: string, model: RerankModel, cameFrom: string): string {
  const own = ownModelFolder(data);
  const folder = `${own}.new`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const counts = COUNTS.filter((name) => existsSync(join(cameFrom, name)));
  for (const name of counts) copyFileSync(join(cameFrom, name), join(folder, name));
  writeFileSync(join(folder, "weights.json"), `${JSON.stringify(model, null, 2)}\n`);
  const files = ["weights.json", ...counts];
  const sha256 = Object.fromEntries(files.map((name) => [name, hashOf(readFileSync(join(folder, name)))]));
  const manifest = { model: "rerank", revision: model.revision, sha256 };
  writeFileSync(join(folder, "model.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  rmSync(own, { recursive: true, force: true });
  renameSync(folder, own);
  return own;
}

/** Removes the model trained for this index. False if there is none. */
export function removeOwnModel(data: string): boolean {
  const own = ownModelFolder(data);
  const existed = existsSync(own);
  rmSync(own, { recursive: true, force: true });
  return existed;
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
