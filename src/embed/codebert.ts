import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { RecommenderError } from "../errors.js";
import { type Encoder, embedTexts, type Pooling, type Tokenizer } from "./embed-texts.js";
import type { Embedder } from "./embedder.js";
import { fetchModel } from "./hub.js";
import { HUB_ID, isFolder, type ModelFolder, readJsonFile, readModelFolder, unreadable } from "./model-folder.js";

interface CodebertOptions {
  /** A folder as `scripts/convert-codebert.py` makes it, or the hub id of a model that has the same files. */
  readonly model: string;
  readonly pooling?: Pooling;
  /** Downloaded models and the checksums of large files are kept here. */
  readonly cacheFolder?: string;
  readonly hub?: string;
  /** The name under which transformers.js is installed. */
  readonly packageName?: string;
}

const PACKAGE = "@xenova/transformers";
const INSTALL = `npm install ${PACKAGE}@2.17.2`;
/** Raise it when a text would get another vector from the same model, because it is prepared or cut in another way. */
const PREPARATION = "v1";

/**
 * CodeBERT, or another RoBERTa encoder. Creating it reads config.json; tokenizer and network are opened by the first
 * `embed`, so that a command without vectors does not pay for them.
 *
 * @example
 * const embedder = await createCodebertEmbedder({ model: "path/to/codebert" });
 * const [vector] = await embedder.embed(["df.head()"], "cell");
 */
export async function createCodebertEmbedder({
  model,
  pooling = "mean",
  cacheFolder = join(homedir(), ".cache", "celrec"),
  hub = "https://huggingface.co",
  packageName = PACKAGE,
}: CodebertOptions): Promise<Embedder> {
  locatePackage(packageName);
  const isHubId = HUB_ID.test(model) && !(await isFolder(model));
  const folder = await readModelFolder(isHubId ? await fetchModel(model, hub, cacheFolder) : model, cacheFolder);
  let encoder: Promise<Encoder> | undefined;
  const open = async () =>
    openEncoder(folder, await loadTokenizer(folder.folder, packageName), requireRuntime(packageName));
  return {
    id: `codebert:${folder.name}@${folder.revision}:${pooling}:window-${folder.window}:${PREPARATION}`,
    dimensions: folder.dimensions,
    async embed(texts, _role, signal) {
      signal?.throwIfAborted();
      encoder ??= open().catch((error) => {
        // Not cached: a missing file may exist the next time.
        encoder = undefined;
        throw error;
      });
      return embedTexts(texts, pooling, await encoder, signal);
    },
    // onnxruntime-node 1.14 has nothing to call; it frees a session that nobody refers to any more.
    async close() {
      encoder = undefined;
    },
  };
}

/** The tokenizer of a model folder. */
export async function loadTokenizer(folder: string, packageName = PACKAGE): Promise<Tokenizer> {
  return readTokenizer(folder, await importTokenizer(packageName));
}

/** Only its tokenizers: the main entry also loads `sharp`, whose binary is missing if install scripts are off. */
async function importTokenizer(packageName: string): Promise<TransformersTokenizerClass> {
  const file = join(dirname(locatePackage(packageName)), "tokenizers.js");
  try {
    return (await import(pathToFileURL(file).href)).RobertaTokenizer;
  } catch (cause) {
    throw doesNotLoad(packageName, cause);
  }
}

/**
 * The runtime that transformers.js brings along, used without its model class: that one reads the whole file into
 * memory, and on a corrupt one it prints, tries another runtime and throws the error of that.
 */
function requireRuntime(packageName: string): OnnxRuntime {
  try {
    return createRequire(locatePackage(packageName))("onnxruntime-node");
  } catch (cause) {
    throw doesNotLoad(packageName, cause);
  }
}

/** The file that an import of the package would load. */
function locatePackage(packageName: string): string {
  try {
    return createRequire(import.meta.url).resolve(packageName);
  } catch (cause) {
    throw new RecommenderError(
      "MODEL_UNAVAILABLE",
      `CodeBERT needs the optional package ${packageName}, which is not installed; run: ${INSTALL}`,
      { cause },
    );
  }
}

function doesNotLoad(packageName: string, cause: unknown): RecommenderError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RecommenderError(
    "MODEL_UNAVAILABLE",
    `The package ${packageName} does not load (${reason}); install it again: ${INSTALL}`,
    { cause },
  );
}

/** What we use of the tokenizer of transformers.js, whose types cannot be imported: it may not be installed. */
interface TransformersTokenizer {
  encode(text: string, pair: null, options: { add_special_tokens: boolean }): number[];
  readonly added_tokens: readonly { content: string; lstrip: boolean; rstrip: boolean }[];
  added_tokens_regex: RegExp | null;
  readonly model: { readonly cache: Map<string, unknown> };
}

type TransformersTokenizerClass = new (json: unknown, config: unknown) => TransformersTokenizer;

const MAX_REMEMBERED_WORDS = 50_000;

async function readTokenizer(folder: string, RobertaTokenizer: TransformersTokenizerClass): Promise<Tokenizer> {
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
  // It caches every word it has ever split, which is a leak over a large corpus.
  if (tokenizer.model.cache.size > MAX_REMEMBERED_WORDS) tokenizer.model.cache.clear();
  return tokenizer.encode(text.replace(/\p{Surrogate}/gu, "\ufffd"), null, { add_special_tokens: false });
}

/** What we use of onnxruntime-node. */
interface OnnxRuntime {
  readonly Tensor: new (type: "int64", data: BigInt64Array, shape: readonly number[]) => OnnxTensor;
  readonly InferenceSession: { create(path: string, options: { logSeverityLevel: number }): Promise<OnnxSession> };
}

interface OnnxTensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

interface OnnxSession {
  run(inputs: Record<string, OnnxTensor>): Promise<Record<string, OnnxTensor | undefined>>;
}

/** Severity 4 throws errors instead of printing them. */
const SILENT = 4;

async function openEncoder(model: ModelFolder, tokenizer: Tokenizer, runtime: OnnxRuntime): Promise<Encoder> {
  const corrupt = (cause: unknown) => {
    throw unreadable(model.onnx, cause);
  };
  const session = await runtime.InferenceSession.create(model.onnx, { logSeverityLevel: SILENT }).catch(corrupt);
  return {
    tokenizer,
    dimensions: model.dimensions,
    window: model.window,
    // int8 scales are taken over the whole batch, so a neighbour would change a text's vector.
    rowsPerBatch: model.isQuantised ? 1 : Number.POSITIVE_INFINITY,
    async run(rows) {
      const tokensPerRow = Math.max(...rows.map((row) => row.length));
      const output = await session.run(padRows(rows, tokensPerRow, model.padding, runtime)).catch(corrupt);
      const states = output.last_hidden_state;
      const shape = [rows.length, tokensPerRow, model.dimensions];
      if (!(states?.data instanceof Float32Array) || states.dims.join() !== shape.join())
        return corrupt(new Error(`no last_hidden_state with ${model.dimensions} float32 numbers a token`));
      return { data: states.data, tokensPerRow };
    },
  };
}

function padRows(rows: readonly (readonly number[])[], tokensPerRow: number, padding: number, { Tensor }: OnnxRuntime) {
  const shape = [rows.length, tokensPerRow];
  const ids = new BigInt64Array(rows.length * tokensPerRow).fill(BigInt(padding));
  const mask = new BigInt64Array(ids.length);
  rows.forEach((row, index) => {
    ids.set(row.map(BigInt), index * tokensPerRow);
    mask.fill(1n, index * tokensPerRow, index * tokensPerRow + row.length);
  });
  return { input_ids: new Tensor("int64", ids, shape), attention_mask: new Tensor("int64", mask, shape) };
}
