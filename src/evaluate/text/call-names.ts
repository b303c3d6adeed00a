import { BUILTINS } from "../../python/lex.js";
import { isCalled } from "../../python/name-roles.js";
import { tokenize } from "../../python/tokenize.js";

/** Methods of strings and lists that are as uninformative as builtins. */
const UNINFORMATIVE = new Set(["format", "join", "append"]);

/**
 * The distinct names of the calls in a cell, of a dotted name the last part. Builtins are left out if they are called
 * by their bare name (`sum(x)`, not `df.sum()`); so are `format`, `join` and `append` in any form, unless `all` is set.
 * @example callNames("df = pd.read_csv(path)\nprint(df.sum())") // Set { "read_csv", "sum" }
 */
export function callNames(code: string, { all = false } = {}): Set<string> {
  const names = new Set<string>();
  const tokens = tokenize(code);
  for (const [at, { text }] of tokens.entries()) {
    if (!isCalled(tokens, at) || (!all && UNINFORMATIVE.has(text))) continue;
    if (tokens[at - 1]?.text !== "." && BUILTINS.has(text)) continue;
    names.add(text);
  }
  return names;
}

/** How many names of the first set are in the second. */
export function countShared(names: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0;
  for (const name of names) if (others.has(name)) shared += 1;
  return shared;
}
