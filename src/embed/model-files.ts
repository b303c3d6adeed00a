import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RecommenderError } from "../errors.js";

/** Common fields of every `model.json`. */
export const manifestSchema = z.object({
  model: z.string(),
  revision: z.string(),
  sha256: z.record(z.string(), z.string()),
});

type ModelManifest = z.infer<typeof manifestSchema>;

/** Advice for a broken model; a model fitted by `celrec train` is not part of the package. */
const ADVICE = "install celrec again, or train the model again if it is your own";

/** Reads `model.json` of a model folder: the description of the model and the checksums of its files. */
export async function readManifest<T extends ModelManifest>(folder: string, schema: z.ZodType<T>): Promise<T> {
  const file = join(folder, "model.json");
  return parseJson(file, await readOrFail(file), schema);
}

/** Reads a file that the manifest lists; throws MODEL_UNAVAILABLE if it is missing or its checksum differs. */
export async function readModelFile(folder: string, { sha256 }: ModelManifest, name: string): Promise<Buffer> {
  const file = join(folder, name);
  const content = await readOrFail(file);
  const actual = createHash("sha256").update(content).digest("hex");
  if (actual === sha256[name]) return content;
  throw new RecommenderError(
    "MODEL_UNAVAILABLE",
    `${file} is damaged: its sha-256 is ${actual}, model.json has ${sha256[name] ?? "none"}; ${ADVICE}`,
  );
}

/** Like `readModelFile`, for JSON. */
export async function readModelJson<T>(
  folder: string,
  manifest: ModelManifest,
  name: string,
  schema: z.ZodType<T>,
): Promise<T> {
  return parseJson(join(folder, name), await readModelFile(folder, manifest, name), schema);
}

async function readOrFail(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new RecommenderError("MODEL_UNAVAILABLE", `${file} cannot be read; ${ADVICE}`, {
      cause,
    });
  }
}

function parseJson<T>(file: string, content: Buffer, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(content.toString("utf8")));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new RecommenderError(
      "MODEL_UNAVAILABLE",
      `${file} does not fit this version of celrec (${reason}); ${ADVICE}`,
      {
        cause,
      },
    );
  }
}
