import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RerankModel } from "./rerank-model.js";

const FOLDER = "rerank";
/** What was counted in the training notebooks. */
const COUNTS = ["frequencies.json", "repeats.json"];

/** Where the model of an index of its own lies, in the folder of that index. */
export function ownModelFolder(data: string): string {
  return join(data, FOLDER);
}

/** The folder of the model to rank with: the one that was trained for this index, else the one that ships. */
export function chooseModelFolder(data: string, shipped: string): string {
  const own = ownModelFolder(data);
  return existsSync(join(own, "model.json")) ? own : shipped;
}

/** Writes a model beside the index, with what was counted for the one that it came from. Whole or not at all. */
export function writeOwnModel(data: string, model: RerankModel, cameFrom: string): string {
  const own = ownModelFolder(data);
  const folder = `${own}.new`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of COUNTS) copyFileSync(join(cameFrom, name), join(folder, name));
  writeFileSync(join(folder, "weights.json"), `${JSON.stringify(model, null, 2)}\n`);
  const files = ["weights.json", ...COUNTS];
  const sha256 = Object.fromEntries(files.map((name) => [name, hashOf(readFileSync(join(folder, name)))]));
  const manifest = { model: "rerank", revision: model.revision, sha256 };
  writeFileSync(join(folder, "model.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  rmSync(own, { recursive: true, force: true });
  renameSync(folder, own);
  return own;
}

/** Back to the model that ships; false where there was no other. */
export function removeOwnModel(data: string): boolean {
  const own = ownModelFolder(data);
  const existed = existsSync(own);
  rmSync(own, { recursive: true, force: true });
  return existed;
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
