import { createHash } from "node:crypto";
import { z } from "zod";
import { RecommenderError } from "../errors.js";
import { readFacts } from "./facts.js";
import { type CompiledRule, createValueReader, type FeatureValues } from "./label-features.js";
import { assignLabels, type LabelHead, type Labeller } from "./labeller.js";
import { compileRule, type Rule } from "./rule.js";

/** A feature's contribution to the logit of a label. */
export interface Contribution {
  readonly feature: string;
  readonly amount: number;
}

/** The explanation of a probability: the logit is `base` plus all contributions, strongest first. */
interface Explanation {
  readonly label: string;
  readonly probability: number;
  readonly base: number;
  readonly contributions: readonly Contribution[];
}

export interface ExplainingLabeller extends Labeller {
  /** One entry per label, in the order of the set. */
  explain(code: string, head: LabelHead): Explanation[];
}

/** Base probability of a label that only rules assign. */
const UNTRAINED = { cell: 0.01, prefix: 0.05 };
const UNTRAINED_THRESHOLDS = { assigned: 0.5, possible: 0.05 };

/** Labels with a trained model. `rules` are features of it; `added` rules are applied on top, for any label. */
export function createModelLabeller(
  model: LabelModel,
  rules: readonly Rule[],
  added: readonly Rule[] = [],
): ExplainingLabeller {
  const compiled = rules.map(compile);
  const extra = added.map(compile);
  const labels = [...new Set([...model.labels, ...added.map(({ label }) => label)])];
  const heads = { cell: openHead(model, "cell", labels), prefix: openHead(model, "prefix", labels) };
  const readValues = createValueReader(model.features, compiled);

  return {
    id: model.id,
    labels,
    label(code, head) {
      const { scorers, thresholds } = heads[head];
      const facts = readFacts(code);
      const probabilities = readValues(facts, (values, present) =>
        labels.map((_, at) => scorers[at]?.probability(values, present) ?? UNTRAINED[head]),
      );
      for (const { label, strength, matches } of extra) {
        const at = labels.indexOf(label);
        if (matches(facts)) probabilities[at] = 1 - (1 - probabilities[at]!) * (1 - strength);
      }
      const answer = assignLabels(labels, probabilities, thresholds);
      // An empty cell has no label; for an empty prefix all labels are possible.
      return code.trim() === "" ? { ...answer, labels: [], primary: null, possible: labels } : answer;
    },
    explain(code, head) {
      const facts = readFacts(code);
      const spoken = extra.filter(({ matches }) => matches(facts));
      return readValues(facts, (values, present) =>
        labels.map((label, at) => {
          const { base, byFeature } = heads[head].scorers[at]?.contributions(values, present) ?? {
            base: logit(UNTRAINED[head]),
            byFeature: new Map<number, number>(),
          };
          // The absence of a feature can contribute, too.
          const name = (feature: number) => `${values[feature] === 0 ? "no " : ""}${model.features[feature]!}`;
          const contributions = [...byFeature].map(([feature, amount]) => ({ feature: name(feature), amount }));
          return addRules({ label, base, contributions }, spoken);
        }),
      );
    },
  };
}

function compile(rule: Rule): CompiledRule {
  return { ...rule, matches: compileRule(rule) };
}

function openHead(model: LabelModel, head: LabelHead, labels: readonly string[]) {
  const parts = model.parts[head];
  return {
    scorers: parts.map((part) => createScorer(part, model.features.length)),
    thresholds: {
      assigned: labels.map((_, at) => parts[at]?.threshold ?? UNTRAINED_THRESHOLDS.assigned),
      possible: labels.map((_, at) => parts[at]?.possible ?? UNTRAINED_THRESHOLDS.possible),
    },
  };
}

/** Applies the added rules to the logit. */
function addRules(
  { label, base, contributions }: Omit<Explanation, "probability">,
  rules: readonly CompiledRule[],
): Explanation {
  let score = contributions.reduce((sum, { amount }) => sum + amount, base);
  const all = [...contributions];
  for (const rule of rules) {
    if (rule.label !== label) continue;
    const raised = logit(1 - (1 - sigmoid(score)) * (1 - rule.strength));
    all.push({ feature: `rule ${rule.name}`, amount: raised - score });
    score = raised;
  }
  all.sort((one, other) => Math.abs(other.amount) - Math.abs(one.amount));
  return { label, probability: sigmoid(score), base, contributions: all };
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/** A model part in typed arrays, for speed. */
interface Scorer {
  /** The calibrated probability of the mean of both models' logits, which can be attributed to features. */
  probability(values: FeatureValues, present: readonly number[]): number;
  /** The contribution of each feature to the logit, and the intercept. */
  contributions(values: FeatureValues, present: readonly number[]): { base: number; byFeature: Map<number, number> };
}

/** The linear model and the trees count half each. */
const LINEAR_SHARE = 0.5;

function createScorer({ linear, trees, calibration }: ModelPart, features: number): Scorer {
  const [slope, offset] = calibration;
  const weights = new Float64Array(features);
  for (const [at, feature] of linear.feature.entries()) weights[feature] = linear.weight[at]!;
  const feature = Int16Array.from(trees.feature);
  const threshold = Float64Array.from(trees.threshold);
  const skip = Int32Array.from(trees.skip);
  const value = Float64Array.from(trees.value);
  const starts = Int32Array.from(trees.starts);

  return {
    probability(values, present) {
      let linearScore = linear.bias;
      for (const at of present) linearScore += weights[at]! * values[at]!;
      let treeScore = 0;
      for (let tree = 0; tree < starts.length; tree += 1) {
        let node = starts[tree]!;
        for (let at = feature[node]!; at !== -1; at = feature[node]!) {
          node += values[at]! > threshold[node]! ? skip[node]! : 1;
        }
        treeScore += value[node]!;
      }
      return sigmoid(slope * LINEAR_SHARE * (linearScore + treeScore) + offset);
    },
    contributions(values, present) {
      const byFeature = new Map<number, number>();
      const scale = slope * LINEAR_SHARE;
      const add = (at: number, amount: number) => byFeature.set(at, (byFeature.get(at) ?? 0) + scale * amount);
      for (const at of present) if (weights[at] !== 0) add(at, weights[at]! * values[at]!);
      let base = linear.bias;
      for (const start of starts) {
        base += value[start]!;
        let node = start;
        for (let at = feature[node]!; at !== -1; at = feature[node]!) {
          const next = node + (values[at]! > threshold[node]! ? skip[node]! : 1);
          // Attributes the change of the expected score to the feature of the node.
          add(at, value[next]! - value[node]!);
          node = next;
        }
      }
      return { base: scale * base + offset, byFeature };
    },
  };
}

function sigmoid(score: number): number {
  return 1 / (1 + Math.exp(-score));
}

const numbers = z.array(z.number());
const indexes = z.array(z.int().nonnegative());

const headerSchema = z.object({
  format: z.literal(1),
  labels: z.array(z.string().min(1)).min(1).max(32),
  features: z.array(z.string()),
  /** Hash of everything after the first line. */
  sha256: z.string(),
});

const partSchema = z.object({
  head: z.enum(["cell", "prefix"]),
  label: z.string(),
  /** Minimum probability of an assigned label. */
  threshold: z.number(),
  /** Minimum probability of a possible label. */
  possible: z.number(),
  /** Slope and offset of the Platt calibration. */
  calibration: z.tuple([z.number(), z.number()]),
  linear: z.object({ bias: z.number(), feature: indexes, weight: numbers }),
  /**
   * Boosted trees, concatenated, each in depth-first order. A leaf has feature -1. A value up to `threshold` continues
   * with the next node, a greater one skips `skip` nodes. `value` is the score of a leaf, or the mean score below a
   * node.
   */
  trees: z.object({
    starts: indexes,
    feature: z.array(z.int().min(-1)),
    threshold: numbers,
    skip: indexes,
    value: numbers,
  }),
});

/** The classifier of one label, for whole cells or for prefixes (`head`). */
type ModelPart = z.infer<typeof partSchema>;

export interface LabelModel {
  readonly id: string;
  readonly labels: readonly string[];
  readonly features: readonly string[];
  /** One part per label, in the order of `labels`. */
  readonly parts: Readonly<Record<LabelHead, readonly ModelPart[]>>;
}

/**
 * Reads a model file: JSON lines with a header and one part per head and label. Errors name the line and the reason.
 */
export function parseModel(text: string, file: string): LabelModel {
  const end = text.indexOf("\n");
  const header = parseLine(headerSchema, text.slice(0, end === -1 ? undefined : end), file, 1);
  const body = end === -1 ? "" : text.slice(end + 1);
  const sha256 = createHash("sha256").update(body).digest("hex");
  if (sha256 !== header.sha256)
    throw invalidLine(
      file,
      1,
      `the sha-256 of the following lines is ${sha256}, not ${header.sha256}; install or train it again`,
    );
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
    throw invalidLine(file, number, `not JSON: ${(cause as Error).message}`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidLine(file, number, `${issue!.path.join(".") || "the line"}: ${issue!.message}`);
}

export function invalidLine(file: string, line: number, reason: string): RecommenderError {
  return new RecommenderError("CONFIG_INVALID", `${file}, line ${line}: ${reason}`);
}

type Header = z.infer<typeof headerSchema>;

/** Checks that the schema cannot express: index ranges, equal lengths of lists, trees without cycles. */
function checkPart(part: ModelPart, { labels, features }: Header, file: string, line: number): ModelPart {
  const { linear, trees } = part;
  const nodes = trees.feature.length;
  const isInside = (feature: number) => feature < features.length;
  const ends = (node: number) =>
    trees.feature[node] === -1 || (trees.skip[node]! > 1 && node + trees.skip[node]! < nodes);
  if (!labels.includes(part.label)) throw invalidLine(file, line, `label: ${part.label} is not in the header`);
  if (linear.feature.length !== linear.weight.length)
    throw invalidLine(file, line, "linear: weights and features differ in length");
  if ([trees.threshold, trees.skip, trees.value].some(({ length }) => length !== nodes)) {
    throw invalidLine(file, line, "trees: the lists differ in length");
  }
  if (![...linear.feature, ...trees.feature].every(isInside))
    throw invalidLine(file, line, "a feature is not in the header");
  if (!trees.starts.every((node) => node < nodes)) throw invalidLine(file, line, "trees.starts: there is no such node");
  if (!trees.feature.every((_, node) => ends(node))) throw invalidLine(file, line, "trees.skip: there is no such node");
  return part;
}

function partsOf(head: LabelHead, labels: readonly string[], parts: readonly ModelPart[], file: string): ModelPart[] {
  return labels.map((label) => {
    const part = parts.find((one) => one.head === head && one.label === label);
    if (part === undefined) throw invalidLine(file, 1, `no part for ${label}, head ${head}`);
    return part;
  });
}
