import { join } from "node:path";
import type { Tokenizer } from "./embed-texts.js";
import { readJsonFile, unreadable } from "./model-folder.js";

/** What we use of the tokenizer of transformers.js, whose types cannot be imported: it may not be installed. */
export interface TransformersTokenizer {
  encode(text: string, pair: null, options: { add_special_tokens: boolean }): number[];
  readonly added_tokens: readonly { content: string; lstrip: boolean; rstrip: boolean }[];
  added_tokens_regex: RegExp | null;
  readonly model: { readonly cache: Map<string, unknown> };
}

export type TransformersTokenizerClass = new (json: unknown, config: unknown) => TransformersTokenizer;

const MAX_REMEMBERED_WORDS = 50_000;

export async function readTokenizer(folder: string, RobertaTokenizer: TransformersTokenizerClass): Promise<Tokenizer> {
  const path = join(folder, "tokenizer.json");
  const json = await readJsonFile(path);
  const config = await readJsonFile(join(folder, "tokenizer_config.json"));
  try {
    const tokenizer = new RobertaTokenizer(withMergesAsText(json), config);
    tokenizer.added_tokens_regex = matchSpecialTokens(tokenizer);
    const [start, end, ...more] = tokenizer.encode("", null, { add_special_tokens: true });
    if (start === undefined || end === undefined || more.length > 0)
      throw new Error("it does not put a text between <s> and </s>");
    return { start, end, encode: (text) => encode(tokenizer, text) };
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** transformers.js 2.17 reads a merge only as "a b"; newer tokenizer.json files have ["a", "b"]. */
function withMergesAsText(json: unknown): unknown {
  const { model, ...rest } = json as { model: { merges: (string | string[])[] } };
  return { ...rest, model: { ...model, merges: model.merges.map((merge) => [merge].flat().join(" ")) } };
}

/** The package's own expression with a look-behind: without it, a long run of spaces takes quadratic time. */
function matchSpecialTokens({ added_tokens }: TransformersTokenizer): RegExp | null {
  if (added_tokens.length === 0) return null;
  const alternatives = added_tokens.map(({ content, lstrip, rstrip }) => {
    const literal = content.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return `${lstrip ? "(?<!\\s)\\s*" : ""}(${literal})${rstrip ? "\\s*" : ""}`;
  });
  return new RegExp(alternatives.join("|"));
}

function encode(tokenizer: TransformersTokenizer, text: string): number[] {
  // It remembers every word it has ever split, which over a large corpus is a leak.
  if (tokenizer.model.cache.size > MAX_REMEMBERED_WORDS) tokenizer.model.cache.clear();
  return tokenizer.encode(text.replace(/\p{Surrogate}/gu, "\ufffd"), null, { add_special_tokens: false });
}
