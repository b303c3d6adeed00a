import { splitName } from "../python/subwords.js";
import type { Facts } from "./facts.js";
import { type Matcher, PATTERN_FIELDS } from "./rule.js";
import type { Statement } from "./statements.js";

/**
 * Called with each feature of a cell: its group, its name in the group ("" for the only one) and its value. Group and
 * name are not joined, because a lookup by two existing strings is faster. A feature may occur twice.
 */
type FeatureSink = (group: string, name: string, value: number) => void;

/** A rule with its compiled matcher. */
export interface CompiledRule {
  readonly name: string;
  readonly label: string;
  readonly strength: number;
  readonly matches: Matcher;
}

/** Tasks that often only prepare another task of the same cell. */
export const SUPPORTING_TASKS: ReadonlySet<string> = new Set(["validate_data", "process_data", "setup_notebook"]);

/** A feature's name in a model file. */
export function featureName(group: string, name: string): string {
  return name === "" ? group : `${group} ${name}`;
}

/** Emits all features of a cell. This is the only definition of the model's input. */
export function emitFeatures(facts: Facts, rules: readonly CompiledRule[], emit: FeatureSink): void {
  emitRules(facts, rules, emit);
  for (const field of PATTERN_FIELDS) for (const word of facts[field]) emit(field, word, 1);
  emitStructure(facts, emit);
}

function emitRules(facts: Facts, rules: readonly CompiledRule[], emit: FeatureSink): void {
  const missProbability = new Map<string, number>();
  for (const { name, label, strength, matches } of rules) {
    if (!matches(facts)) continue;
    emit("rule", name, 1);
    missProbability.set(label, (missProbability.get(label) ?? 1) * (1 - strength));
  }
  let ends = 0;
  for (const [label, rest] of missProbability) {
    emit("task", label, round(1 - rest));
    if (!SUPPORTING_TASKS.has(label)) ends += 1;
  }
  if (ends > 0) emit("ends", "", ends);
}

function emitStructure({ statements, broken, defines, constants }: Facts, emit: FeatureSink): void {
  const counts = countKinds(statements);
  for (const [kind, count] of counts) emit("kind", kind, logScale(count));
  emit("statements", "", logScale(statements.length));
  if (broken > 0) emit("broken", "", 1);
  if (defines.length > 0) emit("defines", "", logScale(defines.length));
  if (constants > 0) emit("constants", "", logScale(constants));
  if (statements.length === 0) return;
  const last = statements.at(-1)!;
  if (counts.size === 1) emit("only", last.kind, 1);
  const outer = statements.filter(({ indent }) => indent === 0);
  const outerCounts = countKinds(outer);
  for (const kind of outerCounts.keys()) emit("outer", outerCounts.size === 1 ? `only ${kind}` : kind, 1);
  emitEnd("first", statements[0]!, emit);
  emitEnd("last", last, emit);
  if (last.indent > 0) emit("last", "inside", 1);
  const end = outer.at(-1);
  if (end !== undefined && end !== last) emitEnd("end", end, emit);
}

function countKinds(statements: readonly Statement[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { kind } of statements) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** The kind of the cell's first or last statement, and the last name that it calls or shows. */
function emitEnd(end: string, statement: Statement, emit: FeatureSink): void {
  const { kind, tokens, value } = statement;
  emit(end, kind, 1);
  if (kind === "import" || kind === "magic") return;
  for (const word of lastNames(statement)) emit(end, `${kind} ${word}`, 1);
  emit(end, "chain", logScale(chainLength(statement)));
  const head = tokens[value];
  if (head?.kind === "name") for (const word of splitName(head.text)) emit(end, `head ${word}`, 1);
}

/** Subwords of the outermost call (`head` of `df.head(3)`) or of the last attribute or name. */
function lastNames({ tokens, value }: Statement): string[] {
  let depth = 0;
  for (let at = tokens.length - 1; at >= value; at -= 1) {
    const { kind, text } = tokens[at]!;
    if (text === ")" || text === "]") depth += 1;
    else if (text === "(" || text === "[") depth -= 1;
    else if (kind === "name" && depth <= 0) return splitName(text);
  }
  return [];
}

/** Number of attributes in the chain of the last expression: `df.a.b()` has two. */
function chainLength({ tokens, value }: Statement): number {
  let depth = 0;
  let length = 0;
  for (let at = value; at < tokens.length; at += 1) {
    const { text } = tokens[at]!;
    if (text === ")" || text === "]") depth -= 1;
    else if (text === "(" || text === "[") depth += 1;
    else if (text === "." && depth === 0) length += 1;
  }
  return length;
}

/** Logarithmic, because two more statements matter in a short cell but not in a long one. */
function logScale(count: number): number {
  return round(Math.log2(1 + count));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Values of all features of one cell, in the order of the model's list. */
export type FeatureValues = Float64Array;

/** Reuses one array for all cells, because allocating one per cell would take longer than the model. */
export function createValueReader(features: readonly string[], rules: readonly CompiledRule[]) {
  const indexes = groupIndexes(features);
  const values = new Float64Array(features.length);
  return <T>(facts: Facts, read: (values: FeatureValues, present: readonly number[]) => T): T => {
    const present: number[] = [];
    emitFeatures(facts, rules, (group, name, value) => {
      const at = indexes.get(group)?.get(name);
      if (at === undefined || values[at] !== 0) return;
      values[at] = value;
      present.push(at);
    });
    const result = read(values, present);
    for (const at of present) values[at] = 0;
    return result;
  };
}

/** Maps group, then name, to the index of a feature. */
function groupIndexes(features: readonly string[]): Map<string, Map<string, number>> {
  const indexes = new Map<string, Map<string, number>>();
  for (const [at, feature] of features.entries()) {
    const space = feature.indexOf(" ");
    const group = space === -1 ? feature : feature.slice(0, space);
    if (!indexes.has(group)) indexes.set(group, new Map());
    indexes.get(group)!.set(space === -1 ? "" : feature.slice(space + 1), at);
  }
  return indexes;
}
