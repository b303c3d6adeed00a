import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { RecommenderError } from "../errors.js";

export interface ModelFolder {
  readonly folder: string;
  readonly name: string;
  /** A hash of the tokenizer and the weights. */
  readonly revision: string;
  readonly dimensions: number;
  /** Tokens that fit into one window, `<s>` and `</s>` included. */
  readonly window: number;
  readonly padding: number;
  readonly onnx: string;
  readonly isQuantised: boolean;
}

export const TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"] as const;
export const FULL_WEIGHTS = ["onnx/model.onnx"];
export const QUANTIZED_WEIGHTS = ["onnx/model_quantized.onnx", "onnx/model_int8.onnx"];
/** ONNX files in order of preference. Quantised files come first, because a user who downloaded one wants to use it. */
const ONNX_FILES = [...QUANTIZED_WEIGHTS, ...FULL_WEIGHTS];
const HOW_TO_GET = "get it again: celrec model pull codebert";
const HUB_ID = /^[\w.-]+\/[\w.-]+$/;
/** Matches a model name written by our converter; other tools write a local path into config.json. */
const MODEL_NAME = /^[\w.-]+(\/[\w.-]+)?$/;

const roberta = z.object({
  model_type: z.literal("roberta"),
  hidden_size: z.int().positive(),
  max_position_embeddings: z.int().min(8),
  pad_token_id: z.int().nonnegative().default(1),
  _name_or_path: z.string().optional(),
});

/** The folder of a pulled model, by `codebert` or a hub id. */
export function pulledFolder(model: string, dataFolder: string): string {
  return join(dataFolder, "models", model.replace("/", "--"));
}

/** The folder of a model given as `codebert`, as a hub id or as a folder. Downloads nothing. */
export async function locateModel(model: string, dataFolder: string): Promise<string> {
  const isName = model === "codebert" || HUB_ID.test(model);
  const pulled = pulledFolder(model, dataFolder);
  if (isName && (await isFolder(pulled))) return pulled;
  if (!isName || (await isFolder(model))) return model;
  // The command in the error message names the data folder unless it is the default.
  const into = resolve(dataFolder) === resolve(".celrec") ? "" : ` --data ${dataFolder}`;
  throw new RecommenderError(
    "MODEL_UNAVAILABLE",
    `The model ${model} is not on this machine (looked in ${pulled}). Get it: celrec model pull ${model}${into}`,
  );
}

/** Reads config.json and the list of files; opens neither the tokenizer nor the network weights. */
export async function readModelFolder(folder: string, cacheFolder: string): Promise<ModelFolder> {
  if (!(await isFolder(folder)))
    throw new RecommenderError("MODEL_UNAVAILABLE", `There is no model folder ${folder}; ${HOW_TO_GET}.`);
  const names = new Set([
    ...(await listNames(folder)),
    ...(await listNames(join(folder, "onnx"))).map((name) => `onnx/${name}`),
  ]);
  const onnx = ONNX_FILES.find((name) => names.has(name));
  const missing: string[] = ["config.json", ...TOKENIZER_FILES].filter((name) => !names.has(name));
  if (onnx === undefined) missing.push(`one of ${ONNX_FILES.join(", ")}`);
  if (onnx === undefined || missing.length > 0)
    throw new RecommenderError(
      "MODEL_UNAVAILABLE",
      `The model folder ${folder} lacks ${missing.join(", ")}; ${HOW_TO_GET}.`,
    );

  const config = await readConfig(join(folder, "config.json"));
  // Large weights are in a separate file whose name starts with that of the ONNX file.
  const weights = [...names].filter((name) => name.startsWith(onnx)).sort();
  const hashed = [...TOKENIZER_FILES, ...weights].map((name) => join(folder, name));
  const revision = await hashFiles(hashed, cacheFolder).catch((cause) => {
    throw unreadable(folder, cause);
  });
  return {
    folder,
    name: MODEL_NAME.test(config._name_or_path ?? "") ? config._name_or_path! : basename(folder),
    revision,
    dimensions: config.hidden_size,
    // RoBERTa counts positions from pad_token_id + 1.
    window: config.max_position_embeddings - config.pad_token_id - 1,
    padding: config.pad_token_id,
    onnx: join(folder, onnx),
    isQuantised: QUANTIZED_WEIGHTS.includes(onnx),
  };
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** A JSON file of the model, or an error that names it. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

export function unreadable(path: string, cause: unknown): RecommenderError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RecommenderError(
    "MODEL_UNAVAILABLE",
    `The model file ${path} cannot be read (${reason}); ${HOW_TO_GET}.`,
    { cause },
  );
}

async function readConfig(path: string): Promise<z.infer<typeof roberta>> {
  const parsed = roberta.safeParse(await readJsonFile(path));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw unreadable(path, new Error(`no RoBERTa configuration: ${problems.join("; ")}`, { cause: parsed.error }));
}

/** The names in a folder; none if there is no such folder. */
async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT" || (cause as NodeJS.ErrnoException).code === "ENOTDIR")
      return [];
    throw unreadable(folder, cause);
  }
}

/** Hashes are cached, because reading CodeBERT's 500 MB takes about a second. */
const MIN_CACHED_BYTES = 32 * 1024 * 1024;

/** Twelve hex digits that change with the content of any of the files. */
export async function hashFiles(paths: readonly string[], cacheFolder: string): Promise<string> {
  const hashes: string[] = [];
  for (const path of paths) hashes.push(await hashFile(path, cacheFolder));
  return sha256(hashes.join("\n")).slice(0, 12);
}

async function hashFile(path: string, cacheFolder: string): Promise<string> {
  const { size, mtimeMs, ctimeMs, ino } = await stat(path);
  if (size < MIN_CACHED_BYTES) return hashContent(path);
  const folder = join(cacheFolder, "checksums");
  const remembered = join(folder, sha256([path, size, mtimeMs, ctimeMs, ino].join("\n")));
  const known = await readFile(remembered, "utf8").catch(() => "");
  if (/^[0-9a-f]{64}$/.test(known)) return known;
  const hash = await hashContent(path);
  // The cache is optional.
  await mkdir(folder, { recursive: true })
    .then(() => writeFile(`${remembered}.${process.pid}`, hash))
    .then(() => rename(`${remembered}.${process.pid}`, remembered))
    .catch(() => undefined);
  return hash;
}

async function hashContent(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest("hex");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
