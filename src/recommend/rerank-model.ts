import { z } from "zod";
import { manifestSchema, readManifest, readModelJson } from "../embed/model-files.js";
import { hashText } from "../python/profile.js";
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
  /** What trees add to the score of `complete`. */
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

/** How telling words are, from the cells of the training notebooks; a word that none of them held is most telling. */
export async function readInverseFrequency(folder: string): Promise<InverseFrequency> {
  const { cells, words } = await readJson(folder, "frequencies.json", frequenciesSchema);
  const held = new Map(Object.entries(words));
  return (word) => Math.log(1 + (cells + 0.5) / ((held.get(word) ?? 0) + 0.5));
}

/**
 * Which calls are seldom made twice, from the training notebooks: `repeats.json` has the share of cells behind which one of the next
 * five makes the same call again. What is repeated half of the time, and what was never counted, counts as repeated.
 */
export async function readOnceCalls(folder: string): Promise<OnceCalls> {
  const rates = await readJson(folder, "repeats.json", z.record(z.string(), z.number()));
  const once = new Map(Object.entries(rates).map(([name, rate]) => [hashText(name), Math.max(0, 1 - 2 * rate)]));
  return (call) => once.get(call) ?? 0;
}

async function readJson<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T> {
  return readModelJson(folder, await readManifest(folder, manifestSchema), name, schema);
}
