import { createHash } from "node:crypto";
import { z } from "zod";
import { RecommenderError } from "../errors.js";
import type { LabelHead } from "./labeller.js";

const numbers = z.array(z.number());
const indexes = z.array(z.int().nonnegative());

const headerSchema = z.object({
  format: z.literal(1),
  labels: z.array(z.string().min(1)).min(1).max(32),
  features: z.array(z.string()),
  /** Of all that follows the first line. */
  sha256: z.string(),
});

const partSchema = z.object({
  head: z.enum(["cell", "prefix"]),
  label: z.string(),
  /** From this probability on the label is assigned. */
  threshold: z.number(),
  /** From this probability on the label stays possible. */
  possible: z.number(),
  /** Slope and offset of the Platt calibration. */
  calibration: z.tuple([z.number(), z.number()]),
  linear: z.object({ bias: z.number(), feature: indexes, weight: numbers }),
  /**
   * Boosted trees, one after the other, each in depth-first order. A leaf has feature -1. A value up to `threshold` goes
   * on with the next node, a greater one `skip` nodes further. `value` is a leaf's score, or the mean below a node.
   */
  trees: z.object({
    starts: indexes,
    feature: z.array(z.int().min(-1)),
    threshold: numbers,
    skip: indexes,
    value: numbers,
  }),
});

/** The classifier of one label for one head. */
export type ModelPart = z.infer<typeof partSchema>;

export interface LabelModel {
  readonly id: string;
  readonly labels: readonly string[];
  readonly features: readonly string[];
  /** One part per label, in the order of `labels`. */
  readonly parts: Readonly<Record<LabelHead, readonly ModelPart[]>>;
}

/** Reads a model file: JSON lines, a header and then one part per head and label. Names line and reason of what is wrong. */
export function parseModel(text: string, file: string): LabelModel {
  const end = text.indexOf("\n");
  const header = parseLine(headerSchema, text.slice(0, end === -1 ? undefined : end), file, 1);
  const body = end === -1 ? "" : text.slice(end + 1);
  const sha256 = createHash("sha256").update(body).digest("hex");
  if (sha256 !== header.sha256)
    throw broken(file, 1, `the sha-256 of what follows is ${sha256}, not ${header.sha256}; install or train it again`);
  const parts = body
    .split("\n")
    .map((line, at) =>
      line === "" ? null : checkPart(parseLine(partSchema, line, file, at + 2), header, file, at + 2),
    )
    .filter((part) => part !== null);
  return {
    id: `labels-${sha256.slice(0, 12)}`,
    labels: header.labels,
    features: header.features,
    parts: { cell: partsOf("cell", header.labels, parts, file), prefix: partsOf("prefix", header.labels, parts, file) },
  };
}

/** Parses one line of a JSON lines file; throws CONFIG_INVALID with file, line and reason. */
export function parseLine<T>(schema: z.ZodType<T>, line: string, file: string, number: number): T {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw broken(file, number, `not JSON: ${(cause as Error).message}`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw broken(file, number, `${issue!.path.join(".") || "the line"}: ${issue!.message}`);
}

export function broken(file: string, line: number, reason: string): RecommenderError {
  return new RecommenderError("CONFIG_INVALID", `${file}, line ${line}: ${reason}`);
}

type Header = z.infer<typeof headerSchema>;

/** Checks that the schema cannot express: indexes out of range, lists of unequal length, trees that never end. */
function checkPart(part: ModelPart, { labels, features }: Header, file: string, line: number): ModelPart {
  const { linear, trees } = part;
  const nodes = trees.feature.length;
  const isInside = (feature: number) => feature < features.length;
  const ends = (node: number) =>
    trees.feature[node] === -1 || (trees.skip[node]! > 1 && node + trees.skip[node]! < nodes);
  if (!labels.includes(part.label)) throw broken(file, line, `label: ${part.label} is not in the header`);
  if (linear.feature.length !== linear.weight.length) throw broken(file, line, "linear: as many weights as features");
  if ([trees.threshold, trees.skip, trees.value].some(({ length }) => length !== nodes)) {
    throw broken(file, line, "trees: all lists of the same length");
  }
  if (![...linear.feature, ...trees.feature].every(isInside))
    throw broken(file, line, "a feature that the header lacks");
  if (!trees.starts.every((node) => node < nodes)) throw broken(file, line, "trees.starts: a node that is not there");
  if (!trees.feature.every((_, node) => ends(node))) throw broken(file, line, "trees.skip: a node that is not there");
  return part;
}

function partsOf(head: LabelHead, labels: readonly string[], parts: readonly ModelPart[], file: string): ModelPart[] {
  return labels.map((label) => {
    const part = parts.find((one) => one.head === head && one.label === label);
    if (part === undefined) throw broken(file, 1, `no part for ${label}, head ${head}`);
    return part;
  });
}
