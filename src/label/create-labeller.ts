import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { assetPath } from "../config.js";
import { RecommenderError } from "../errors.js";
import {
  createModelLabeller,
  type ExplainingLabeller,
  invalidLine,
  type LabelModel,
  parseLine,
  parseModel,
} from "./model-labeller.js";
import { PATTERN_FIELDS, type Pattern, type PatternField, type Rule } from "./rule.js";
import { NEWER_RULES, RULES } from "./rules.js";

interface LabellerOptions {
  /** The files of a user's own labels. */
  readonly folder?: string;
}

/** Maximum number of labels, which is the number of label bits in an index. */
const MAX_LABELS = 32;

/**
 * The labeller that the program uses.
 * @example createLabeller().label("df = pd.read_csv('a.csv')", "cell").primary // "ingest_data"
 */
export function createLabeller({ folder }: LabellerOptions = {}): ExplainingLabeller {
  if (folder === undefined) return combineRules(readShipped(), RULES, NEWER_RULES);
  const file = join(folder, MODEL_FILE);
  const hasModel = existsSync(file);
  if (!hasModel && !existsSync(join(folder, RULES_FILE))) {
    throw new RecommenderError(
      "CONFIG_INVALID",
      `${folder} (CELREC_LABELS) holds neither ${RULES_FILE} nor ${MODEL_FILE}`,
    );
  }
  const ownRules = readOwnRules(folder, [...RULES, ...NEWER_RULES]);
  const model = hasModel ? readModel(file) : readShipped();
  // Rules that the model was trained with are its features; newer rules are applied on top until the next training.
  const features = new Set(model.features);
  const newer = [...NEWER_RULES, ...ownRules].filter(({ name }) => !features.has(`rule ${name}`));
  const labels = [...new Set([...model.labels, ...newer.map(({ label }) => label)])];
  if (labels.length > MAX_LABELS) {
    throw new RecommenderError(
      "CONFIG_INVALID",
      `${folder}: ${labels.length} labels, at most ${MAX_LABELS} are possible`,
    );
  }
  const older = [...NEWER_RULES, ...ownRules].filter((rule) => !newer.includes(rule));
  return combineRules(model, [...RULES, ...older], newer);
}

/** The id, which an index stores, includes the rules that are applied on top of the model. */
function combineRules(model: LabelModel, rules: readonly Rule[], newer: readonly Rule[]): ExplainingLabeller {
  const id = newer.length === 0 ? model.id : `${model.id}+${hash(JSON.stringify(newer))}`;
  return createModelLabeller({ ...model, id }, rules, newer);
}

function readShipped(): LabelModel {
  const file = join(assetPath("models/labels"), MODEL_FILE);
  if (existsSync(file)) return readModel(file);
  throw new RecommenderError("MODEL_UNAVAILABLE", `${file} is missing; install celrec again`);
}

function readModel(file: string): LabelModel {
  return parseModel(readFileSync(file, "utf8"), file);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** Names in a folder of own labels; `models/labels/README.md` documents them. */
const RULES_FILE = "rules.jsonl";
const MODEL_FILE = "model.jsonl";

const labelSchema = z.string().regex(/^[\w-]{1,40}$/, "letters, digits, _ and -, at most 40");
const patternShape = Object.fromEntries(PATTERN_FIELDS.map((field) => [field, z.array(z.string().min(1)).optional()]));
const patternSchema = z.strictObject(patternShape as Record<PatternField, z.ZodOptional<z.ZodArray<z.ZodString>>>);
const ruleSchema = z.strictObject({
  name: z.string().regex(/^[\w-]{1,60}$/, "letters, digits, _ and -, at most 60"),
  label: labelSchema,
  description: z.string().default(""),
  strength: z.number().gt(0).lt(1),
  any: patternSchema,
  unless: patternSchema.optional(),
});

/** Reads a user's rules, one JSON object per line; none if the folder has no such file. */
export function readOwnRules(folder: string, taken: readonly Rule[]): Rule[] {
  const file = join(folder, RULES_FILE);
  return existsSync(file) ? parseRules(readFileSync(file, "utf8"), file, taken) : [];
}

/**
 * Parses rules; throws CONFIG_INVALID with file, line and reason. A rule's name must be unique, also among the rules
 * `taken`.
 */
function parseRules(text: string, file: string, taken: readonly Rule[]): Rule[] {
  const names = new Set(taken.map(({ name }) => name));
  const rules: Rule[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const { any, unless, ...rest } = parseLine(ruleSchema, line, file, at + 1);
    if (names.has(rest.name)) throw invalidLine(file, at + 1, `name: there is a rule ${rest.name} already`);
    if (Object.values(any).every((words) => words === undefined || words.length === 0)) {
      throw invalidLine(file, at + 1, "any: every word list is empty");
    }
    names.add(rest.name);
    rules.push({ ...rest, any: any as Pattern, ...(unless === undefined ? {} : { unless: unless as Pattern }) });
  }
  return rules;
}
