import { BUILTINS } from "../../python/lex.js";
import { isCalled } from "../../python/name-roles.js";
import { tokenize } from "../../python/tokenize.js";

/** Methods of strings and lists that are as uninformative as builtins. */
const UNINFORMATIVE = new Set(["format", "join", "append"]);

/**
 * The distinct names of the functions called in a cell; only the last part of a dotted name. Left out are builtins called by their bare name (`sum(x)`, not `df.sum()`) and, unless `all` is set, `format`, `join` and `append`.
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

/** Number of names that are in both sets. */
export function countShared(names: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0;
  for (const name of names) if (others.has(name)) shared += 1;
  return shared;
}
