import { NO_API_SEQUENCE, readJuiceCode } from "../published/juice.js";
import { stripDocstrings } from "../published/strip-docstrings.js";
import { callNames } from "./calls.js";
import { characterGrams, type Grams } from "./chrf.js";
import { dataFlow, type Flow } from "./data-flow.js";
import { codeTokens, rougeWords, type WordGrams, wordGrams } from "./ngrams.js";
import { type Shape, subtreesOf } from "./subtrees.js";
import { readSyntaxTree } from "./syntax-tree.js";

/** A text with what the text metrics read from it. */
export interface PreparedText {
  readonly raw: string;
  /** Without comment lines. */
  readonly grams: Grams;
  readonly calls: ReadonlySet<string>;
  /** With the calls that say little (`format`, `join`, `append`), as JuICe counts them. */
  readonly apiCalls: ReadonlySet<string>;
  readonly tokens: readonly string[];
  readonly tokenGrams: WordGrams;
  readonly words: readonly string[];
  /** Empty if the parser gives up. */
  readonly subtrees: readonly Shape[];
  readonly flows: readonly Flow[];
}

/**
 * Analyses a text once for all metrics, and lazily: the same reference is compared with every result, and a popular cell
 * with many cases.
 */
export function prepareText(raw: string): PreparedText {
  const lines = once(() => dropCommentLines(raw));
  const tokens = once(() => codeTokens(raw));
  // The tree itself is large, and not kept.
  const syntax = once(() => {
    const tree = readSyntaxTree(stripDocstrings(raw.trim()));
    return tree === null ? { subtrees: [], flows: [] } : { subtrees: subtreesOf(tree), flows: dataFlow(tree) };
  });
  const parts = {
    grams: once(() => characterGrams(lines())),
    calls: once(() => callNames(lines())),
    apiCalls: once(() => apiCallsOf(raw)),
    tokenGrams: once(() => wordGrams(tokens())),
    words: once(() => rougeWords(raw)),
  };
  return {
    raw,
    get grams() {
      return parts.grams();
    },
    get calls() {
      return parts.calls();
    },
    get apiCalls() {
      return parts.apiCalls();
    },
    get tokens() {
      return tokens();
    },
    get tokenGrams() {
      return parts.tokenGrams();
    },
    get words() {
      return parts.words();
    },
    get subtrees() {
      return syntax().subtrees;
    },
    get flows() {
      return syntax().flows;
    },
  };
}

/** JuICe's API calls; for text that is not Python, the names that look like calls. */
function apiCallsOf(raw: string): ReadonlySet<string> {
  const read = readJuiceCode(raw);
  if (read === null) return callNames(raw, { all: true });
  return new Set(read.apiSequence.filter((name) => name !== NO_API_SEQUENCE));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * The text without comment lines. By line, not by token: the rest of a half-typed cell may start inside a string, where
 * tokens would be wrong.
 */
export function dropCommentLines(code: string): string {
  return code
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n");
}
