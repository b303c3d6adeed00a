import { z } from "zod";
import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { scanString } from "../../../python/strings.js";
import { tokenize } from "../../../python/tokenize.js";
import { startPythonDriver } from "../../execute/python-driver.js";
import type { CursorQuery, Target, TargetCompletion } from "../../target.js";

/** A baseline for completers. */
export interface CursorBaseline {
  readonly name: string;
  /** Whether the baseline is fast enough for a question after every token. */
  readonly types: boolean;
  complete(query: CursorQuery): Promise<readonly TargetCompletion[]>;
}

interface BaselineDeps {
  readonly index: readonly NamedNotebook[];
  readonly target: Target;
  /** Null if this Python has no jedi. */
  readonly jedi: Jedi | null;
}

/**
 * The baselines: an n-gram model over the index, one over the notebook's own cells, the insertion of the best cell, and
 * jedi if available.
 */
export function createCursorBaselines({ index, target, jedi }: BaselineDeps): CursorBaseline[] {
  const cells = new Map(index.flatMap(({ notebook }) => extractCells(notebook)).map(({ id, code }) => [id, code]));
  const ngram = createNgramModel(cells.values());
  return [
    { name: "ngram", types: true, complete: async ({ prefix, k }) => ngram.complete(prefix, k) },
    {
      name: "notebook-cache",
      types: true,
      complete: async ({ prefix, k, context }) => {
        // The line being typed is left out, because it has no end yet.
        const lines = prefix.slice(0, prefix.lastIndexOf("\n") + 1);
        return createNgramModel([...context.before, lines]).complete(prefix, k);
      },
    },
    ...(target.canRecommend === false ? [] : [bestCell(target)]),
    ...(jedi === null ? [] : [completeWithJedi(jedi)]),
  ];
}

/** The insertions of the first recommended cells. */
function bestCell(target: Target): CursorBaseline {
  return {
    name: "best-cell",
    types: false,
    async complete({ prefix, k, context }) {
      const { hits } = await target.recommend({ code: prefix, k, context });
      return hits.map(({ code, adapted = code, insert = adapted, confidence }) => ({ text: insert, confidence }));
    },
  };
}

function completeWithJedi(jedi: Jedi): CursorBaseline {
  return {
    name: "jedi",
    types: false,
    async complete({ prefix, k, context }) {
      const texts = await jedi.complete([...context.before, prefix].join("\n"), k);
      return texts.map((text) => ({ text, confidence: null, kind: "token" }));
    },
  };
}

/** Continues the text before the cursor to the end of its line. */
interface NgramModel {
  complete(prefix: string, k: number): TargetCompletion[];
}

/** Maximum number of context tokens. */
const MAX_ORDER = 6;
/** Discount that is subtracted from every count. The freed probability goes to tokens not seen in this context. */
const DISCOUNT = 0.8;
/** Maximum number of positions counted for one context. A more frequent context is sampled evenly. */
const MAX_PLACES = 500;
/** Shorter contexts are not read when less probability mass is left. */
const MIN_REMAINING_MASS = 0.01;
/** Size of the cache of next-token counts: short contexts are looked up often. */
const MAX_CACHED_COUNTS = 20_000;
const MAX_TOKENS = 40;
const NEWLINE = "\n";
/** Precedes each cell, so that no context spans two cells. */
const CELL_START = "<cell>";

/**
 * A plain n-gram model over the tokens of cells: absolute discounting, interpolated from the longest context that was
 * seen.
 */
export function createNgramModel(cells: Iterable<string>): NgramModel {
  const vocabulary = new Map<string, number>();
  const words: string[] = [];
  const idOf = (text: string) => {
    const known = vocabulary.get(text) ?? words.length;
    if (known === words.length) {
      vocabulary.set(text, known);
      words.push(text);
    }
    return known;
  };
  const stream: number[] = [];
  for (const code of cells) stream.push(...tokensOf(code).map(idOf), idOf(NEWLINE));
  const tokens = Int32Array.from(stream);
  const order = sortByContext(tokens);
  const counts = new Float64Array(words.length);
  for (const token of tokens) counts[token]! += 1;

  const kept = new Map<string, NextTokens>();
  const nextTokensOf = (context: readonly number[]): NextTokens => {
    const key = context.join(" ");
    const known = kept.get(key) ?? countNextTokens(tokens, order, findContext(tokens, order, context));
    if (kept.size >= MAX_CACHED_COUNTS) kept.clear();
    kept.set(key, known);
    return known;
  };

  /** P(next | context) for all tokens that followed the context anywhere. */
  const distribution = (context: readonly number[]): Map<number, number> => {
    const probabilities = new Map<number, number>();
    let left = 1;
    for (let length = Math.min(MAX_ORDER, context.length); length >= 0 && left >= MIN_REMAINING_MASS; length -= 1) {
      const { counts: here, total } = nextTokensOf(context.slice(context.length - length));
      if (total === 0) continue;
      for (const [next, count] of here)
        probabilities.set(next, (probabilities.get(next) ?? 0) + (left * (count - DISCOUNT)) / total);
      left *= (DISCOUNT * here.size) / total;
    }
    return probabilities;
  };

  const ranked = (context: readonly number[], fits: (word: string) => boolean) => {
    const seen = [...distribution(context)].filter(([id]) => fits(words[id]!));
    const fitting = seen.length > 0 ? seen : [...counts.entries()].filter(([id]) => fits(words[id]!));
    const mass = fitting.reduce((sum, [, probability]) => sum + probability, 0);
    // Ties go to the token that was seen first, which makes the answers deterministic.
    return fitting.map(([id, p]) => ({ id, p: p / mass })).sort((a, b) => b.p - a.p || a.id - b.id);
  };

  return {
    complete(prefix, k) {
      const typed = tokensOf(prefix);
      const halfTyped = begunToken(prefix);
      if (halfTyped !== "") typed.pop();
      const base = typed.map((text) => vocabulary.get(text) ?? -1);
      const first = ranked(base, (word) => word !== CELL_START && word.startsWith(halfTyped));
      // The end of the line is not suggested.
      const shown = first.filter(({ id }) => words[id] !== NEWLINE);
      return shown.slice(0, k).map(({ id, p }) => {
        const line = [words[id]!];
        const context = [...base, id];
        let confidence = p;
        while (line.length < MAX_TOKENS && line.at(-1) !== NEWLINE) {
          const [best] = ranked(context, () => true);
          if (best === undefined || words[best.id] === CELL_START) break;
          confidence *= best.p;
          context.push(best.id);
          line.push(words[best.id]!);
        }
        return { text: render(line.filter((word) => word !== NEWLINE)).slice(halfTyped.length), confidence };
      });
    },
  };
}

interface NextTokens {
  readonly counts: ReadonlyMap<number, number>;
  readonly total: number;
}

/** Counts the tokens that follow a context; the range gives the positions of the context in `order`. */
function countNextTokens(tokens: Int32Array, order: Int32Array, [from, to]: readonly [number, number]): NextTokens {
  const step = Math.max(1, Math.ceil((to - from) / MAX_PLACES));
  const counts = new Map<number, number>();
  let total = 0;
  for (let at = from; at < to; at += step) {
    const next = tokens[order[at]!]!;
    counts.set(next, (counts.get(next) ?? 0) + 1);
    total += 1;
  }
  return { counts, total };
}

/** Tokens with canonical quotes; comments and blank lines are left out. */
function tokensOf(code: string): string[] {
  const texts = [CELL_START];
  for (const { kind, text } of tokenize(code)) {
    if (kind === "comment" || (kind === "newline" && (texts.at(-1) === NEWLINE || texts.at(-1) === CELL_START)))
      continue;
    texts.push(kind === "string" ? text.replaceAll("'", '"') : text);
  }
  return texts;
}

/** The unfinished name or string at the cursor; empty if there is none. */
function begunToken(prefix: string): string {
  const last = tokenize(prefix).at(-1);
  if (last === undefined || last.end < prefix.length) return "";
  if (last.kind === "string") return scanString(prefix, last.start)!.closed ? "" : last.text.replaceAll("'", '"');
  return last.kind === "name" || last.kind === "keyword" ? last.text : "";
}

/** Joins two tokens; only words need a space between them. */
function render(line: readonly string[]): string {
  return line.reduce((text, word) => text + (/[\w"]$/.test(text) && /^[\w"]/.test(word) ? " " : "") + word, "");
}

/** Positions of the stream, sorted by the tokens before them, the nearest first. */
function sortByContext(tokens: Int32Array): Int32Array {
  const order = Int32Array.from(tokens, (_, at) => at);
  return order.sort((a, b) => {
    for (let back = 1; back <= MAX_ORDER; back += 1) {
      const difference = (tokens[a - back] ?? -1) - (tokens[b - back] ?? -1);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

/** The range of `order` whose positions follow this context. */
function findContext(tokens: Int32Array, order: Int32Array, context: readonly number[]): [number, number] {
  const compare = (position: number): number => {
    for (let back = 1; back <= context.length; back += 1) {
      const difference = (tokens[position - back] ?? -1) - context[context.length - back]!;
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const bound = (isBelow: (compared: number) => boolean): number => {
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBelow(compare(order[middle]!))) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const from = bound((compared) => compared < 0);
  return [from, bound((compared) => compared <= 0)];
}

/** The Python completer jedi, run by `scripts/jedi-driver.py`. */
export interface Jedi {
  readonly version: string;
  /** Texts to insert at the end of the code; empty if jedi has no completion. */
  complete(code: string, k: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** TARGET_FAILED with the reason if this Python has no jedi. */
export async function openJedi(python: string, searchPath?: string): Promise<Jedi> {
  const driver = await startPythonDriver({
    python,
    searchPath,
    script: "jedi-driver.py",
    ready: z.string(),
    answer: z.object({ texts: z.array(z.string()) }),
    needs: { name: "jedi", packages: "jedi" },
  });
  return {
    version: driver.ready,
    complete: async (code, k) => (await driver.call({ code, k })).texts,
    close: driver.close,
  };
}
