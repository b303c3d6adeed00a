import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RecommenderError } from "../errors.js";
import { type DownloadProgress, downloadModel } from "./hub.js";
import { type ModelFolder, pulledFolder, readModelFolder } from "./model-folder.js";

export interface PullOptions {
  /** `codebert`, or a hub id. */
  readonly name: string;
  /** The hub ids tried for `codebert`. */
  readonly ids: readonly string[];
  readonly hub: string;
  readonly dataFolder: string;
  readonly quantized?: boolean;
  /** A local folder used instead of the hub, with ONNX files or a PyTorch model. */
  readonly from?: string;
  /** The script that converts PyTorch models to ONNX. */
  readonly converter: string;
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly onNote?: (message: string) => void;
  readonly signal?: AbortSignal;
}

interface PulledModel extends ModelFolder {
  /** The hub id or the folder that it came from. */
  readonly origin: string;
  /** False if the model was already in the folder. */
  readonly isNew: boolean;
}

const PYTORCH_FILES = ["model.safetensors", "pytorch_model.bin"];
const PYTHON = "python3";
const INSTALL_COMMAND = "pip install torch transformers onnx onnxruntime";

/** Downloads, copies or converts a model into the data folder. An existing model is only checked. */
export async function pullModel(options: PullOptions): Promise<PulledModel> {
  const { name, ids, hub, dataFolder, from, quantized = false } = options;
  const folder = pulledFolder(name, dataFolder);
  if (existsSync(folder)) {
    const there = await readModelFolder(folder, dataFolder);
    if (from === undefined && (!quantized || there.isQuantised)) return { ...there, origin: folder, isNew: false };
    const weights = there.isQuantised ? "int8" : "fp32";
    const message = `The folder ${folder} has ${name} with ${weights} weights; remove the folder to replace it.`;
    throw new RecommenderError("MODEL_UNAVAILABLE", message);
  }
  const origin =
    from ?? (await downloadModel({ ...options, ids: name === "codebert" ? ids : [name], hub, folder, quantized }));
  if (from !== undefined) await importFolder(from, folder, options);
  return { ...(await readModelFolder(folder, dataFolder)), origin, isNew: true };
}

/** A folder of ONNX files is copied; a PyTorch folder is converted if Python and its packages are installed. */
async function importFolder(from: string, folder: string, options: PullOptions): Promise<void> {
  if (!existsSync(from)) throw unusable(from, "it does not exist");
  const scratch = `${folder}.part`;
  await mkdir(dirname(folder), { recursive: true });
  await rm(scratch, { recursive: true, force: true });
  if (existsSync(join(from, "onnx"))) {
    await readModelFolder(from, options.dataFolder);
    await cp(from, scratch, { recursive: true });
    await rename(scratch, folder);
    return;
  }
  if (!PYTORCH_FILES.some((file) => existsSync(join(from, file)))) {
    throw unusable(from, `it has neither onnx/model.onnx nor ${PYTORCH_FILES.join(" nor ")}`);
  }
  options.onNote?.(`Converting ${from} with ${PYTHON}, which takes a minute or two.`);
  await convert(from, folder, options);
}

function convert(from: string, folder: string, { converter, quantized, signal }: PullOptions): Promise<void> {
  const words = [converter, folder, "--model", from, ...(quantized ? ["--quantize"] : [])];
  return new Promise((resolve, reject) => {
    const child = spawn(PYTHON, words, { stdio: ["ignore", "ignore", "pipe"], ...(signal && { signal }) });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said = `${said}${chunk}`.slice(-4_000);
    });
    child.on("error", (cause) => reject(unusable(from, `${PYTHON} does not start (${cause.message})`, cause)));
    child.on("close", (code) => {
      if (code === 0) return resolve();
      const reason = said.trim().split("\n").at(-1) ?? "";
      const advice = /ModuleNotFoundError/.test(said) ? `; it needs: ${INSTALL_COMMAND}` : "";
      reject(unusable(from, `the conversion failed (${reason})${advice}`));
    });
  });
}

function unusable(from: string, why: string, cause?: unknown): RecommenderError {
  const message = `No model can be loaded from ${from}: ${why}.`;
  return new RecommenderError("MODEL_UNAVAILABLE", message, { cause });
}
