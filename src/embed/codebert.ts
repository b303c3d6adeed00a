import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { RecommenderError } from "../errors.js";
import { type Encoder, embedTexts, type Pooling, type Tokenizer } from "./embed-texts.js";
import type { Embedder } from "./embedder.js";
import { locateModel, type ModelFolder, readJsonFile, readModelFolder, unreadable } from "./model-folder.js";

interface CodebertOptions {
  /** `codebert`, a hub id, or a folder of model files. */
  readonly model: string;
  readonly pooling?: Pooling;
  /** Folder of pulled models and of the checksums of large files. */
  readonly cacheFolder?: string;
  /** Package names of transformers.js, in the order of preference. */
  readonly packageNames?: readonly string[];
}

/**
 * Versions 2 and 3 of transformers.js. Version 2 reads ONNX files up to IR version 8, which our converter writes. Newer
 * files on the hub need version 3.
 */
const PACKAGES = ["@xenova/transformers", "@huggingface/transformers"];
const NEWER_PACKAGE = PACKAGES[1]!;
const INSTALL_COMMAND = `npm install ${PACKAGES[0]}@2.17.2`;
const MAX_OLD_IR = 8;
/** Version of the preprocessing. Increase it when the same model would give a text another vector. */
const PREPROCESSING_VERSION = "v1";

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
  packageNames = PACKAGES,
}: CodebertOptions): Promise<Embedder> {
  const folder = await readModelFolder(await locateModel(model, cacheFolder), cacheFolder);
  const packageName = await choosePackage(folder.onnx, packageNames);
  let encoder: Promise<Encoder> | undefined;
  const openModel = async () =>
    openEncoder(folder, await loadTokenizer(folder.folder, packageName), requireRuntime(packageName));
  return {
    id: `codebert:${folder.name}@${folder.revision}:${pooling}:window-${folder.window}:${PREPROCESSING_VERSION}`,
    dimensions: folder.dimensions,
    async embed(texts, _role, signal) {
      signal?.throwIfAborted();
      encoder ??= openModel().catch((error) => {
        // A failure is not cached, because a missing file may exist at the next call.
        encoder = undefined;
        throw error;
      });
      return embedTexts(texts, pooling, await encoder, signal);
    },
    // onnxruntime-node 1.14 has no method to close a session; it frees a session that is no longer referenced.
    async close() {
      encoder = undefined;
    },
  };
}

/** The tokenizer of a model folder. */
export async function loadTokenizer(folder: string, packageName = PACKAGES[0]!): Promise<Tokenizer> {
  return readTokenizer(folder, await importTokenizer(packageName));
}

/** The first installed package that can read the file. For a file that is not ONNX, the runtime reports the error. */
async function choosePackage(onnx: string, packageNames: readonly string[]): Promise<string> {
  const installed = packageNames.filter((name) => locatePackage(name) !== null);
  if (installed.length === 0) throw notInstalled(packageNames[0]!, INSTALL_COMMAND);
  const version = await readIrVersion(onnx);
  const reads = (name: string) => name === NEWER_PACKAGE || version === null || version <= MAX_OLD_IR;
  const chosen = installed.find(reads);
  if (chosen !== undefined) return chosen;
  throw notInstalled(NEWER_PACKAGE, `npm install ${NEWER_PACKAGE}`, `${onnx} has ONNX IR ${version}, and `);
}

/** The package to install before the model in this file can run; null if nothing is missing. */
export async function describeMissingPackage(onnx: string): Promise<string | null> {
  return choosePackage(onnx, PACKAGES).then(
    () => null,
    (error: RecommenderError) => error.message,
  );
}

/** The IR version, which is the first field of every ONNX file. */
async function readIrVersion(onnx: string): Promise<number | null> {
  const file = await open(onnx).catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x08 ? buffer[1]! : null;
  } finally {
    await file.close();
  }
}

/**
 * Imports only the tokenizers if possible, because the main entry of the older package loads `sharp`, whose binary may
 * be missing.
 */
async function importTokenizer(packageName: string): Promise<TransformersTokenizerClass> {
  const entry = locatePackage(packageName);
  if (entry === null) throw notInstalled(packageName, INSTALL_COMMAND);
  const alone = join(dirname(entry), "tokenizers.js");
  try {
    const { RobertaTokenizer } = await import(pathToFileURL(existsSync(alone) ? alone : entry).href);
    if (RobertaTokenizer === undefined) throw new Error("it has no RobertaTokenizer");
    return RobertaTokenizer;
  } catch (cause) {
    throw doesNotLoad(packageName, cause);
  }
}

/**
 * The ONNX runtime of transformers.js. Its model class is not used: it reads the whole file into memory, and for a
 * corrupt file it prints a message and throws the error of another runtime.
 */
function requireRuntime(packageName: string): OnnxRuntime {
  try {
    return createRequire(locatePackage(packageName)!)("onnxruntime-node");
  } catch (cause) {
    throw doesNotLoad(packageName, cause);
  }
}

/** The file that an import of the package would load; null if it is not installed. */
function locatePackage(packageName: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(packageName);
  } catch {
    return null;
  }
}

function notInstalled(packageName: string, install: string, why = ""): RecommenderError {
  const message = `${why}CodeBERT needs the optional package ${packageName}, which is not installed; run: ${install}`;
  return new RecommenderError("MODEL_UNAVAILABLE", message);
}

function doesNotLoad(packageName: string, cause: unknown): RecommenderError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RecommenderError(
    "MODEL_UNAVAILABLE",
    `The package ${packageName} does not load (${reason}); install it again: ${INSTALL_COMMAND}`,
    { cause },
  );
}

/** The used part of the tokenizer of transformers.js. Its types cannot be imported, because the package is optional. */
interface TransformersTokenizer {
  /** The newer package takes the options as its second parameter. */
  encode(text: string, ...rest: readonly unknown[]): number[];
  readonly added_tokens?: readonly { content: string; lstrip: boolean; rstrip: boolean }[];
  /** Only in the older package. */
  added_tokens_regex?: RegExp | null;
  readonly model?: { readonly cache?: Map<string, unknown> };
}

type TransformersTokenizerClass = new (json: unknown, config: unknown) => TransformersTokenizer;

const MAX_REMEMBERED_WORDS = 50_000;

async function readTokenizer(folder: string, RobertaTokenizer: TransformersTokenizerClass): Promise<Tokenizer> {
  const path = join(folder, "tokenizer.json");
  const json = await readJsonFile(path);
  const config = await readJsonFile(join(folder, "tokenizer_config.json"));
  try {
    const tokenizer = new RobertaTokenizer(withMergesAsText(json), config);
    if ("added_tokens_regex" in tokenizer) tokenizer.added_tokens_regex = matchSpecialTokens(tokenizer);
    const [start, end, ...more] = encodeWith(tokenizer, "", true);
    if (start === undefined || end === undefined || more.length > 0)
      throw new Error("it does not enclose a text in <s> and </s>");
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

/**
 * The package's regular expression for special tokens, with an added look-behind. Without it, a long run of spaces
 * takes quadratic time.
 */
function matchSpecialTokens({ added_tokens = [] }: TransformersTokenizer): RegExp | null {
  if (added_tokens.length === 0) return null;
  const alternatives = added_tokens.map(({ content, lstrip, rstrip }) => {
    const literal = content.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return `${lstrip ? "(?<!\\s)\\s*" : ""}(${literal})${rstrip ? "\\s*" : ""}`;
  });
  return new RegExp(alternatives.join("|"));
}

function encode(tokenizer: TransformersTokenizer, text: string): number[] {
  // Cleared, because the tokenizer caches every word without limit.
  const cache = tokenizer.model?.cache;
  if (cache !== undefined && cache.size > MAX_REMEMBERED_WORDS) cache.clear();
  return encodeWith(tokenizer, text.replace(/\p{Surrogate}/gu, "\ufffd"), false);
}

function encodeWith(tokenizer: TransformersTokenizer, text: string, add_special_tokens: boolean): number[] {
  const options = { add_special_tokens };
  return "added_tokens_regex" in tokenizer ? tokenizer.encode(text, null, options) : tokenizer.encode(text, options);
}

/** The used part of onnxruntime-node. */
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

/** Log level; errors are thrown anyway. */
const FATAL_ONLY = 4;

async function openEncoder(model: ModelFolder, tokenizer: Tokenizer, runtime: OnnxRuntime): Promise<Encoder> {
  const corrupt = (cause: unknown) => {
    throw unreadable(model.onnx, cause);
  };
  const session = await runtime.InferenceSession.create(model.onnx, { logSeverityLevel: FATAL_ONLY }).catch(corrupt);
  return {
    tokenizer,
    dimensions: model.dimensions,
    window: model.window,
    // Texts are embedded one by one with int8 weights: scales depend on the batch, so other texts would change a text's
    // vector.
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
