import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { broken, parseLine } from "./model.js";
import { PATTERN_FIELDS, type Pattern, type PatternField, type Rule } from "./rule.js";

/** Names in a folder of own labels; `models/labels/README.md` documents them. */
export const RULES_FILE = "rules.jsonl";
export const MODEL_FILE = "model.jsonl";

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

/** Reads a user's rules, one JSON object per line; none where the folder has no such file. */
export function readOwnRules(folder: string, taken: readonly Rule[]): Rule[] {
  const file = join(folder, RULES_FILE);
  return existsSync(file) ? parseRules(readFileSync(file, "utf8"), file, taken) : [];
}

/** Parses rules; throws CONFIG_INVALID with file, line and reason. No two rules share a name, nor one with `taken`. */
export function parseRules(text: string, file: string, taken: readonly Rule[]): Rule[] {
  const names = new Set(taken.map(({ name }) => name));
  const rules: Rule[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const { any, unless, ...rest } = parseLine(ruleSchema, line, file, at + 1);
    if (names.has(rest.name)) throw broken(file, at + 1, `name: there is a rule ${rest.name} already`);
    if (Object.values(any).every((words) => words === undefined || words.length === 0)) {
      throw broken(file, at + 1, "any: no word to look for");
    }
    names.add(rest.name);
    rules.push({ ...rest, any: any as Pattern, ...(unless === undefined ? {} : { unless: unless as Pattern }) });
  }
  return rules;
}
