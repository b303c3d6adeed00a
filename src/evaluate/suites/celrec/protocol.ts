import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { asRecord } from "../../../notebook/json-text.js";
import { PAPER_SCALE, type RatingScale } from "../../metrics/metric.js";
import type { Mutator } from "../../suite.js";
import { selectMutators } from "./load-mutators.js";

const MAX_K = 100;
const MAX_RATING = 100;

const rating = z.int().min(0).max(MAX_RATING);
const operatorName = z.string().min(1);

/** The rules of an evaluation: the mutants of a seed, their ratings, and the number of requested cells. */
export const protocolSchema = z
  .strictObject({
    k: z.int().min(1).max(MAX_K),
    /** The lowest relevant rating. */
    z: rating,
    /** The rating of every cell that is not a mutant of the seed. */
    unrelated: rating,
    /** For mutants 1, 2, ...: the rating, and the operators applied to the seed in order. */
    mutants: z.array(z.strictObject({ rating, operators: z.array(operatorName).min(1) })).min(1),
    /** Operators of cells that look similar and do something else. */
    hardNegatives: z.array(operatorName),
  })
  .refine(({ z: from, unrelated }) => unrelated < from, { message: "unrelated must be lower than z", path: ["z"] });

export type Protocol = z.infer<typeof protocolSchema>;

/** The paper's protocol, also in `examples/celrec-protocol.json`. */
export const PAPER_PROTOCOL: Protocol = {
  k: 3,
  z: PAPER_SCALE.relevantFrom,
  unrelated: PAPER_SCALE.unrelated,
  mutants: [
    { rating: 5, operators: ["rename-variables"] },
    { rating: 4, operators: ["rename-variables", "insert-comments"] },
    { rating: 3, operators: ["rename-variables", "insert-comments", "reverse-lines"] },
  ],
  hardNegatives: [],
};

export const isPaperProtocol = (protocol: Protocol): boolean => isDeepStrictEqual(protocol, PAPER_PROTOCOL);

export const scaleOf = ({ z: relevantFrom, unrelated }: Pick<Protocol, "z" | "unrelated">): RatingScale => ({
  relevantFrom,
  unrelated,
});

/** A protocol from a JSON file; missing fields have the paper's values. INPUT_INVALID names every wrong field. */
export function readProtocol(path: string): Protocol {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw invalid(`The protocol ${path} cannot be read: ${(cause as Error).message}`, cause);
  }
  const fields = asRecord(value);
  return parseProtocol(fields === null ? value : { ...PAPER_PROTOCOL, ...fields }, path);
}

function parseProtocol(value: unknown, path: string): Protocol {
  const parsed = protocolSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => `${issue.path.join(".") || "the file"}: ${issue.message}`);
  throw invalid(`The protocol ${path} is wrong: ${wrong.join("; ")}`, parsed.error);
}

/** How to make the mutants of a seed: a protocol with the operators instead of their names. */
export interface Recipe {
  readonly steps: readonly { readonly rating: number; readonly operators: readonly Mutator[] }[];
  readonly hardNegatives: readonly Mutator[];
  readonly unrelated: number;
}

/** The operators of a protocol, from the known ones or from files; INPUT_INVALID for an unknown name. */
export async function resolveProtocol(protocol: Protocol, known: readonly Mutator[]): Promise<Recipe> {
  const { mutants, hardNegatives } = protocol;
  const names = [...new Set([...mutants.flatMap(({ operators }) => operators), ...hardNegatives])];
  return recipeOf(protocol, names, await selectMutators(names, known));
}

/** Looks up the operators of a protocol; `mutators` are in the order of `names`. */
export function recipeOf(protocol: Protocol, names: readonly string[], mutators: readonly Mutator[]): Recipe {
  const byName = new Map(names.map((name, at) => [name, mutators[at]!]));
  const find = (list: readonly string[]) => list.map((name) => byName.get(name)!);
  return {
    steps: protocol.mutants.map(({ rating, operators }) => ({ rating, operators: find(operators) })),
    hardNegatives: find(protocol.hardNegatives),
    unrelated: protocol.unrelated,
  };
}

/**
 * The protocol of a list of m operators: mutant i gets operators 1..i and the rating m + 3 - i. Hard negatives are made
 * from the original seed.
 */
export function protocolOfSeries(names: readonly string[], mutators: readonly Mutator[]): Protocol {
  const isNegative = (at: number) => mutators[at]!.kind === "hard-negative";
  const series = names.filter((_, at) => !isNegative(at));
  if (series.length === 0) throw invalid("--mutators needs at least one operator that is not a hard negative.");
  return {
    ...PAPER_PROTOCOL,
    mutants: series.map((_, at) => ({
      rating: series.length + PAPER_PROTOCOL.z - at - 1,
      operators: series.slice(0, at + 1),
    })),
    hardNegatives: names.filter((_, at) => isNegative(at)),
  };
}

const invalid = (message: string, cause?: unknown): RecommenderError =>
  new RecommenderError("INPUT_INVALID", message, { cause });
