import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { RecommenderError } from "../errors.js";
import { type Encoder, embedTexts, type Tokenizer } from "./embed-texts.js";
import type { Embedder } from "./embedder.js";
import { fetchModel } from "./hub.js";
import { HUB_ID, isFolder, readModelFolder } from "./model-folder.js";
import { type OnnxRuntime, openEncoder } from "./onnx-encoder.js";
import type { Pooling } from "./pooling.js";
import { readTokenizer, type TransformersTokenizerClass } from "./roberta-tokenizer.js";

export interface CodebertOptions {
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
        // Not kept: what was missing may be there the next time.
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

/** Only its tokenizers: the main entry also loads `sharp`, whose binary is not there where install scripts are off. */
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
