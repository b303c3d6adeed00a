import type { Mutator } from "../src/evaluate/suite.js";
import { type Token, tokenize } from "../src/python/tokenize.js";
import { enclosingBrackets, rewriteTokens } from "./syntax/edits.js";

const OTHER: ReadonlyMap<string, string> = new Map([
  ["mean", "median"],
  ["sum", "mean"],
  ["median", "sum"],
  ["min", "max"],
  ["max", "min"],
  ["std", "var"],
  ["var", "std"],
  ["count", "nunique"],
  ["nunique", "count"],
  ["first", "last"],
  ["last", "first"],
  ["argmax", "argmin"],
  ["argmin", "argmax"],
  ["idxmax", "idxmin"],
  ["idxmin", "idxmax"],
  ["nlargest", "nsmallest"],
  ["nsmallest", "nlargest"],
  ["cumsum", "cumprod"],
  ["cumprod", "cumsum"],
  ["any", "all"],
  ["all", "any"],
]);
/** The only builtins with a counterpart. */
const BUILTIN = /^(?:min|max|any|all)$/;

/** Calls that take the aggregation as a string. */
const NAMED_IN_TEXT = /^(?:agg|aggregate|transform|pivot_table|apply)$/;

const otherAggregation: Mutator = {
  name: "other-aggregation",
  description: "Aggregates in another way: median for mean, max for min, nunique for count.",
  kind: "hard-negative",
  apply: (code) => {
    const tokens = tokenize(code);
    const around = enclosingBrackets(tokens);
    return rewriteTokens(
      code,
      ({ kind, text }, at) => {
        if (kind === "name") return isAggregation(tokens, at) ? (OTHER.get(text) ?? null) : null;
        const [, quote, name] = (kind === "string" && /^(['"])(\w+)\1$/.exec(text)) || [];
        const other = OTHER.get(name ?? "");
        // Replaces "mean" in agg("mean") or {"price": "mean"}, but not in dictionary keys, which are names.
        if (other === undefined || tokens[at + 1]?.text === ":") return null;
        return NAMED_IN_TEXT.test(calleeAround(tokens, around, at)) ? quote + other + quote : null;
      },
      tokens,
    );
  },
};

export default otherAggregation;

function isAggregation(tokens: readonly Token[], at: number): boolean {
  const isMethod = tokens[at - 1]?.text === ".";
  return isMethod || (BUILTIN.test(tokens[at]!.text) && tokens[at + 1]?.text === "(");
}

/** The name before the innermost round bracket around a token. */
function calleeAround(tokens: readonly Token[], around: readonly number[], at: number): string {
  let bracket = around[at]!;
  while (bracket !== -1 && tokens[bracket]!.text !== "(") bracket = around[bracket]!;
  return tokens[bracket - 1]?.text ?? "";
}
