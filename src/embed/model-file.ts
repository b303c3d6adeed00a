import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RecommenderError } from "../errors.js";

const manifestSchema = z.object({
  model: z.string(),
  revision: z.string(),
  dimensions: z.int().positive(),
  pieces: z.int().positive(),
  sha256: z.record(z.string(), z.string()),
});

export type ModelManifest = z.infer<typeof manifestSchema>;

/** Reads `model.json` of a model folder: what the model is, and the checksums of its files. */
export async function readManifest(folder: string): Promise<ModelManifest> {
  const file = join(folder, "model.json");
  const content = await readOrFail(file);
  try {
    return manifestSchema.parse(JSON.parse(content.toString("utf8")));
  } catch (cause) {
    throw new RecommenderError("MODEL_UNAVAILABLE", `${file} is not the description of a model; install it again`, {
      cause,
    });
  }
}

/** Reads a file that the manifest lists; throws MODEL_UNAVAILABLE where it is missing or not what it should be. */
export async function readModelFile(folder: string, { sha256 }: ModelManifest, name: string): Promise<Buffer> {
  const file = join(folder, name);
  const content = await readOrFail(file);
  const actual = createHash("sha256").update(content).digest("hex");
  if (actual === sha256[name]) return content;
  throw new RecommenderError(
    "MODEL_UNAVAILABLE",
    `${file} is damaged: its sha-256 is ${actual}, model.json says ${sha256[name] ?? "nothing of it"}; install it again`,
  );
}

async function readOrFail(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new RecommenderError("MODEL_UNAVAILABLE", `${file} cannot be read; is this the folder of the model?`, {
      cause,
    });
  }
}
