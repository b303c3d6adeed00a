import { BUILTINS } from "../src/python/lex.js";
import { tokenize } from "../src/python/tokenize.js";

/** The gains of a cell for a user who wants to type `rest`, the end of `reference`. */
interface Gain {
  /** Mean F2 of character 2-grams and 4-grams against the rest. */
  readonly text: number;
  /** F1 of the called names: recall against the rest, precision against the reference. */
  readonly calls: number;
  readonly callRecall: number;
  /** Like `text`, for the insertion in the user's names, or for the whole cell if nothing is typed. */
  readonly insert: number;
}

const ORDERS = [2, 4];
const UNINFORMATIVE = new Set(["format", "join", "append"]);

export interface Target {
  readonly grams: readonly Map<string, number>[];
  readonly rest: ReadonlySet<string>;
  readonly reference: ReadonlySet<string>;
}

export function createTarget(rest: string, reference: string): Target {
  return { grams: countGrams(rest), rest: calledNames(rest), reference: calledNames(reference) };
}

export function measureGain(code: string, insert: string, { grams, rest, reference }: Target): Gain {
  const names = calledNames(code);
  const recall = shareFound(rest, names);
  const precision = shareFound(names, reference);
  const text = gramScore(countGrams(code), grams);
  return {
    text,
    calls: recall + precision === 0 ? 0 : (2 * recall * precision) / (recall + precision),
    callRecall: recall,
    insert: insert === code ? text : gramScore(countGrams(insert), grams),
  };
}

function calledNames(code: string): Set<string> {
  const tokens = tokenize(code).filter(({ kind }) => kind !== "comment" && kind !== "newline");
  const names = new Set<string>();
  for (const [at, { text }] of tokens.entries()) {
    const name = tokens[at - 1];
    const before = tokens[at - 2]?.text;
    if (text !== "(" || name?.kind !== "name" || before === "def" || before === "class") continue;
    if (!UNINFORMATIVE.has(name.text) && (before === "." || !BUILTINS.has(name.text))) names.add(name.text);
  }
  return names;
}

function shareFound(wanted: ReadonlySet<string>, found: ReadonlySet<string>): number {
  let hits = 0;
  for (const name of wanted) if (found.has(name)) hits += 1;
  return wanted.size === 0 ? 0 : hits / wanted.size;
}

function countGrams(code: string): Map<string, number>[] {
  const text = code
    .replace(/^\s*#.*$/gm, "")
    .replace(/\s+/g, "")
    .slice(0, 4000);
  return ORDERS.map((order) => {
    const grams = new Map<string, number>();
    for (let at = 0; at + order <= text.length; at += 1) {
      const gram = text.slice(at, at + order);
      grams.set(gram, (grams.get(gram) ?? 0) + 1);
    }
    return grams;
  });
}

function gramScore(found: readonly Map<string, number>[], wanted: readonly Map<string, number>[]): number {
  let precision = 0;
  let recall = 0;
  for (const [at, grams] of wanted.entries()) {
    let hits = 0;
    for (const [gram, count] of grams) hits += Math.min(count, found[at]!.get(gram) ?? 0);
    precision += hits / Math.max(1, totalCount(found[at]!)) / ORDERS.length;
    recall += hits / Math.max(1, totalCount(grams)) / ORDERS.length;
  }
  return precision + recall === 0 ? 0 : (5 * precision * recall) / (4 * precision + recall);
}

function totalCount(grams: Map<string, number>): number {
  let sum = 0;
  for (const count of grams.values()) sum += count;
  return sum;
}
