import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { RecommenderError } from "../errors.js";
import { HOW_TO_CONVERT, isFolder, ONNX_FILES, TOKENIZER_FILES } from "./model-folder.js";

const ANSWER_WITHIN_MS = 10_000;

/** The folder with the model of this hub id: from the cache, else downloaded once, whole or not at all. */
export async function fetchModel(id: string, hub: string, cacheFolder: string): Promise<string> {
  const folder = join(cacheFolder, "models", id.replace("/", "--"));
  if (await isFolder(folder)) return folder;

  // Nothing is written before the last and largest file has begun to arrive: an unknown id leaves no trace.
  const small = new Map<string, Buffer>();
  for (const name of ["config.json", ...TOKENIZER_FILES]) {
    const { response } = await request(id, hub, [name]);
    small.set(
      name,
      Buffer.from(await response.arrayBuffer().catch((cause) => fail(id, hub, `${name} broke off`, cause))),
    );
  }
  const { response, file } = await request(id, hub, ONNX_FILES);

  const scratch = `${folder}.${process.pid}`;
  try {
    await mkdir(join(scratch, "onnx"), { recursive: true });
    for (const [name, content] of small) await writeFile(join(scratch, name), content);
    await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(join(scratch, file)));
    await rename(scratch, folder);
  } catch (cause) {
    // If this fails too, the first error is the one to report.
    await rm(scratch, { recursive: true, force: true }).catch(() => undefined);
    // Another process may have finished first; its download is equivalent.
    if (!(await isFolder(folder))) fail(id, hub, `${file} could not be stored in ${cacheFolder}`, cause);
  }
  return folder;
}

/** The first of the files that the hub has. */
async function request(
  id: string,
  hub: string,
  files: readonly string[],
): Promise<{ response: Response; file: string }> {
  let status = 0;
  for (const file of files) {
    const stop = new AbortController();
    const timer = setTimeout(
      () => stop.abort(new Error(`no answer within ${ANSWER_WITHIN_MS / 1000} s`)),
      ANSWER_WITHIN_MS,
    );
    const response = await fetch(new URL(`${id}/resolve/main/${file}`, hub), { signal: stop.signal })
      .catch((cause) => fail(id, hub, "the hub cannot be reached", cause))
      .finally(() => clearTimeout(timer));
    if (response.ok) return { response, file };
    status = response.status;
    await response.body?.cancel();
  }
  return fail(id, hub, `the hub does not hand out its ${files.join(" or ")} (HTTP ${status})`);
}

function fail(id: string, hub: string, what: string, cause?: unknown): never {
  throw new RecommenderError(
    "MODEL_UNAVAILABLE",
    `The model "${id}" is no folder here, and from ${hub} it could not be loaded: ${what}${reason(cause)}; ${HOW_TO_CONVERT}.`,
    { cause },
  );
}

/** fetch says only "fetch failed"; what happened is in its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const inner = error.cause as { code?: string; message?: string } | undefined;
  return ` (${inner?.code ?? inner?.message ?? error.message})`;
}
