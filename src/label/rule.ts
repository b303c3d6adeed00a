import { MAX_RUN, splitName } from "../python/subwords.js";
import type { Facts } from "./facts.js";

/** Lists of words by their role in the code. One match is enough. */
export type Pattern = { readonly [Field in PatternField]?: readonly string[] };

export const PATTERN_FIELDS = [
  "calls",
  "methods",
  "attributes",
  "keywords",
  "modules",
  "imports",
  "names",
  "builtins",
  "syntax",
  "magics",
  "strings",
] as const satisfies readonly (keyof Facts)[];

export type PatternField = (typeof PATTERN_FIELDS)[number];

/** A reason to assign a label. `strength` is the probability of the label if only this rule matches. */
export interface Rule {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly strength: number;
  readonly any?: Pattern;
  /** The rule does not match a cell that this pattern matches. */
  readonly unless?: Pattern;
  /** A condition that no word list can express. If `any` is also given, both must match. */
  readonly when?: (facts: Facts) => boolean;
}

export type Matcher = (facts: Facts) => boolean;

/** Compiles a rule to a fast matcher. */
export function compileRule({ any, unless, when }: Rule): Matcher {
  const included = any === undefined ? null : compilePattern(any);
  const excluded = unless === undefined ? null : compilePattern(unless);
  return (facts) =>
    (included === null || included(facts)) && (when === undefined || when(facts)) && !(excluded?.(facts) ?? false);
}

function compilePattern(pattern: Pattern): Matcher {
  const lists = PATTERN_FIELDS.flatMap((field) => {
    const words = pattern[field];
    return words === undefined ? [] : [{ field, words: new Set(words.map((word) => asStored(field, word))) }];
  });
  return (facts) => lists.some(({ field, words }) => haveCommonWord(words, facts[field]));
}

/** Looks up the smaller set in the larger one, because a rule may have a hundred words and a cell five. */
function haveCommonWord(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size > other.size) return haveCommonWord(other, one);
  for (const word of one) if (other.has(word)) return true;
  return false;
}

/** Names chosen by the author are stored as subwords, so `LogisticRegression` is searched as `logistic_regression`. */
function asStored(field: PatternField, word: string): string {
  if (field !== "calls" && field !== "imports" && field !== "names") return word;
  return splitName(word).slice(0, MAX_RUN).join("_");
}

/** Splits a text into a list of words. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
