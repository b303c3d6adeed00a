import type { Facts } from "./facts.js";
import { splitName } from "./name-parts.js";
import { type Matcher, PATTERN_PLACES } from "./rule.js";
import type { Statement } from "./statements.js";

/** Called with the name of each feature of a cell and its value; a feature may come twice with the same value. */
export type FeatureSink = (feature: string, value: number) => void;

/** The one definition of what the model sees. `rules` are the rules' names and matchers. */
export function emitFeatures(facts: Facts, rules: readonly (readonly [string, Matcher])[], emit: FeatureSink): void {
  for (const [name, matches] of rules) if (matches(facts)) emit(`rule ${name}`, 1);
  for (const place of PATTERN_PLACES) for (const word of facts[place]) emit(`${place} ${word}`, 1);
  emitStructure(facts, emit);
}

function emitStructure({ statements, broken, defines }: Facts, emit: FeatureSink): void {
  const counts = new Map<string, number>();
  for (const { kind } of statements) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) emit(`kind ${kind}`, scale(count));
  emit("statements", scale(statements.length));
  if (broken > 0) emit("broken", 1);
  if (defines.length > 0) emit("defines", scale(defines.length));
  if (statements.length === 0) return;
  const last = statements.at(-1)!;
  if (counts.size === 1) emit(`only ${last.kind}`, 1);
  emitEnd("first", statements[0]!, emit);
  emitEnd("last", last, emit);
  if (last.indent > 0) emit("last inside", 1);
  const code = statements.findLast(({ indent }) => indent === 0);
  if (code !== undefined && code !== last) emitEnd("outer", code, emit);
}

/** Kind of the statement at one end of the cell, and what it calls or shows last. */
function emitEnd(end: string, statement: Statement, emit: FeatureSink): void {
  const { kind, tokens, value } = statement;
  emit(`${end} ${kind}`, 1);
  if (kind === "import" || kind === "magic") return;
  for (const word of lastNames(statement)) emit(`${end} ${kind} ${word}`, 1);
  const head = tokens[value];
  if (head?.kind === "name") for (const word of splitName(head.text)) emit(`${end} head ${word}`, 1);
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

/** Two more statements matter in a short cell, not in a long one. */
function scale(count: number): number {
  return Math.round(Math.log2(1 + count) * 100) / 100;
}
