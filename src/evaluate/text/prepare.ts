import { strip } from "../../python/strip.js";
import { tokenize } from "../../python/tokenize.js";
import { CANONICAL_STRING, type JuiceCode, NO_API_SEQUENCE, readJuiceCode } from "../published/juice.js";
import { stripDocstrings } from "../published/python-tokens.js";
import { callNames } from "./call-names.js";
import { characterGrams, type Grams } from "./character-grams.js";
import { dataFlow, type Flow } from "./data-flow.js";
import { codeTokens, rougeWords, type WordGrams, wordGrams } from "./ngrams.js";
import { readSyntaxTree, type Shape, subtreesOf } from "./syntax-tree.js";

/** A text with the analyses that text metrics need. */
export interface PreparedText {
  readonly raw: string;
  /** Character n-grams of the text without comment lines. */
  readonly grams: Grams;
  /** Character n-grams of the whole text. */
  readonly allGrams: Grams;
  readonly calls: ReadonlySet<string>;
  /** Names of the called functions, with uninformative ones (`format`, `join`, `append`), as JuICe counts them. */
  readonly apiCalls: ReadonlySet<string>;
  readonly tokens: readonly string[];
  readonly tokenGrams: WordGrams;
  /** JuICe's canonical tokens; for other text than Python 3.7, its tokens with all strings equal. */
  readonly canonical: readonly string[];
  readonly canonicalGrams: WordGrams;
  readonly words: readonly string[];
  /** Shapes of the syntax subtrees; empty if the parser gives up. */
  readonly subtrees: readonly Shape[];
  readonly flows: readonly Flow[];
}

/**
 * Analyses a text lazily, and once for all metrics: the same reference is compared with every result, and a popular
 * cell is returned for many cases.
 */
export function prepareText(raw: string): PreparedText {
  const lines = once(() => dropCommentLines(raw));
  const tokens = once(() => codeTokens(raw));
  const juice = once(() => readJuiceCode(raw));
  const canonical = once(() => juice()?.canonicalTokens ?? looseTokens(raw));
  // The tree is large, so it is not kept.
  const syntax = once(() => {
    const tree = readSyntaxTree(stripDocstrings(raw.trim()));
    return tree === null ? { subtrees: [], flows: [] } : { subtrees: subtreesOf(tree), flows: dataFlow(tree) };
  });
  const parts = {
    grams: once(() => characterGrams(lines())),
    allGrams: once(() => characterGrams(raw)),
    calls: once(() => callNames(lines())),
    apiCalls: once(() => apiCallsOf(raw, juice())),
    tokenGrams: once(() => wordGrams(tokens())),
    canonicalGrams: once(() => wordGrams(canonical())),
    words: once(() => rougeWords(raw)),
  };
  return {
    raw,
    get grams() {
      return parts.grams();
    },
    get allGrams() {
      return parts.allGrams();
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
    get canonical() {
      return canonical();
    },
    get canonicalGrams() {
      return parts.canonicalGrams();
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
function apiCallsOf(raw: string, read: JuiceCode | null): ReadonlySet<string> {
  if (read === null) return callNames(raw, { all: true });
  return new Set(read.apiSequence.filter((name) => name !== NO_API_SEQUENCE));
}

/** The closest equivalent of canonical tokens for code that the authors' program rejects, such as magics. */
function looseTokens(raw: string): string[] {
  return tokenize(strip(raw).text).map(({ kind, text }) => {
    if (kind === "string") return CANONICAL_STRING;
    return kind === "newline" ? "NEWLINE" : text;
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * The text without comment lines. Works by line, because the rest of a half-typed cell may start inside a string, where
 * tokens would be wrong.
 */
export function dropCommentLines(code: string): string {
  return code
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n");
}
