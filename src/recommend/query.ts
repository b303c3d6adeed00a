import { strip } from "../clean/strip.js";
import type { Embedder } from "../embed/embedder.js";
import { subwords } from "../python/subwords.js";
import type { QueryVectors } from "./features/compare.js";
import type { QueryContext } from "./features/query-profile.js";
import { mixVectors } from "./mix-vectors.js";

/** What was typed, as it is and cleaned. */
export interface TypedCode {
  readonly code: string;
  readonly clean: string;
}

/** A query as the first stage sees it: what to look for by vector and by words, with what the context adds. */
export interface PreparedQuery {
  readonly vector: Float32Array | null;
  readonly words: ReadonlyMap<string, number>;
  /** The parts by themselves, for the second stage. */
  readonly vectors: QueryVectors;
}

/** What the words of the cell before and of the Markdown weigh beside those of the query. */
export const CONTEXT_WORDS = 0.25;
/** Characters of each part that are read for their words. */
const MOST_CHARACTERS = 30_000;

/** Embeds the query's parts and collects its words. */
export async function prepareQuery(
  embedder: Embedder,
  typed: TypedCode,
  { before = [], markdown = "" }: QueryContext,
  signal?: AbortSignal,
): Promise<PreparedQuery> {
  const last = before.at(-1) ?? "";
  const texts = [textOf(typed), strip(last).text, markdown];
  const [code = null, above = null, remark = null] = await embedder.embed(texts, "query", signal);
  const hasContext = above !== null || remark !== null;
  return {
    vector: hasContext ? mixVectors(code, [above, remark]) : code,
    words: weighWords([
      [typed.code, 1],
      [last, CONTEXT_WORDS],
      [markdown, CONTEXT_WORDS],
    ]),
    vectors: { code, before: above, markdown: remark },
  };
}

/** What is embedded. A cell that so far is only a comment says in words what it is about to do. */
export function textOf({ code, clean }: TypedCode): string {
  return clean || code.replaceAll("#", " ");
}

function weighWords(parts: readonly (readonly [string, number])[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [text, weight] of parts) {
    for (const word of new Set(subwords(text.slice(0, MOST_CHARACTERS))))
      weights.set(word, (weights.get(word) ?? 0) + weight);
  }
  return weights;
}
