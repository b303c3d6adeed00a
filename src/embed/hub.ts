import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import { FULL_WEIGHTS, isFolder, QUANTIZED_WEIGHTS, TOKENIZER_FILES } from "./model-folder.js";

interface DownloadOptions {
  /** Hub ids, in the order in which they are tried. */
  readonly ids: readonly string[];
  /** The address of the hub, or of a mirror with its layout. */
  readonly hub: string;
  /** The target folder, which is created only when the model is complete. */
  readonly folder: string;
  /** Whether the int8 weights are wanted. */
  readonly quantized?: boolean;
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly signal?: AbortSignal;
}

export interface DownloadProgress {
  readonly file: string;
  readonly done: number;
  readonly total: number | null;
}

/** A file of the hub, before any of it was fetched. */
interface RemoteFile {
  readonly name: string;
  readonly url: string;
  readonly size: number | null;
  /** The sha-256 of a large file, git's hash of a small one. */
  readonly etag: string;
}

const HOW_TO_COPY =
  "Without a connection: run the same command on a machine that has one (HF_ENDPOINT names a mirror), copy the folder that it " +
  "prints to this machine, and run celrec model pull codebert --from FOLDER.";
const ANSWER_TIMEOUT_MS = 10_000;
/** Number of attempts; a broken download is resumed. */
const MAX_ATTEMPTS = 6;
const PAUSE_MS = 500;
const MAX_REDIRECTS = 5;
const NOT_FOUND = 404;
const FILE_HASH = /^[0-9a-f]{64}$/;
const GIT_HASH = /^[0-9a-f]{40}$/;
/** Large weights are in a separate file next to the ONNX file. */
const EXTERNAL = "_data";

/**
 * Downloads the first model that has a tokenizer and ONNX files. Partial downloads are kept, so the next call can
 * resume. Every file is checked by its size and the hub's hash. @returns the hub id that was taken
 */
export async function downloadModel(options: DownloadOptions): Promise<string> {
  const { ids, folder, quantized = false } = options;
  const tried: string[] = [];
  for (const id of ids) {
    const files = await findFiles(id, options, quantized, tried);
    if (files === null) continue;
    // Each id has its own scratch folder: a partial download is useless for another id.
    const scratch = `${folder}.${id.replace("/", "--")}.part`;
    await storeFile(id, options.hub, scratch, async () => {
      for (const file of files) await fetchFile(id, file, join(scratch, file.name), options);
      const pulled = { id, hub: options.hub, files: files.map(({ name, size, etag }) => ({ name, size, etag })) };
      await writeFile(join(scratch, "pulled.json"), `${JSON.stringify(pulled, null, 2)}\n`);
      await rename(scratch, folder).catch(async (cause) => {
        // Another process may have finished the same download first.
        if (!(await isFolder(folder))) throw cause;
        await rm(scratch, { recursive: true, force: true });
      });
    });
    return id;
  }
  throw new RecommenderError(
    "MODEL_UNAVAILABLE",
    `${options.hub} has no model that celrec can load; tried ${tried.join("; ")}. Choose other models with CELREC_MODEL_IDS. ${HOW_TO_COPY}`,
  );
}

/** All files of a model that is complete; null if one is missing or refused. */
async function findFiles(id: string, { hub, signal }: DownloadOptions, quantized: boolean, tried: string[]) {
  const first = async (names: readonly string[]): Promise<RemoteFile | string> => {
    for (const name of names) {
      const found = await requestMetadata(id, hub, name, signal);
      if (typeof found !== "number") return found;
      if (found !== NOT_FOUND) return `${name}: HTTP ${found}`;
    }
    return `no ${names.join(" or ")}`;
  };
  const files: RemoteFile[] = [];
  for (const names of [["config.json"], ...TOKENIZER_FILES.map((name) => [name]), weightsOf(quantized)]) {
    const found = await first(names);
    if (typeof found === "string") {
      tried.push(`${id} (${found})`);
      return null;
    }
    files.push(found);
  }
  const external = await requestMetadata(id, hub, `${files.at(-1)!.name}${EXTERNAL}`, signal);
  return typeof external === "number" ? files : [...files, external];
}

/** Prefers the full weights, as in the paper, unless int8 is requested or they are missing. */
function weightsOf(quantized: boolean): string[] {
  return quantized ? [...QUANTIZED_WEIGHTS, ...FULL_WEIGHTS] : [...FULL_WEIGHTS, ...QUANTIZED_WEIGHTS];
}

/**
 * The metadata of a file, or the status if the hub refuses it. For large files the metadata come with the redirect to
 * the storage, which is not followed: its signed address may be valid for one GET only.
 */
async function requestMetadata(
  id: string,
  hub: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<RemoteFile | number> {
  const address = new URL(`${id}/resolve/main/${name}`, hub.endsWith("/") ? hub : `${hub}/`);
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const { headers, status, ok } = await request(id, hub, url, { method: "HEAD" }, signal);
    const location = headers.get("location");
    const isRedirect = status >= 300 && status < 400 && location !== null;
    const etag = headers.get("x-linked-etag") ?? (isRedirect ? null : headers.get("etag"));
    if (isRedirect && etag === null) {
      url = new URL(location, url);
      continue;
    }
    if (!isRedirect && !ok) return status;
    const size = headers.get("x-linked-size") ?? (isRedirect ? null : headers.get("content-length"));
    const tag = (etag ?? "").replace(/^W\//, "").replaceAll('"', "");
    return { name, url: address.href, size: size === null ? null : Number(size), etag: tag };
  }
  return failDownload(id, hub, `${name} is redirected too often`);
}

/** Fetches a file, or the rest of a partial download. A complete file is only checked. */
async function fetchFile(id: string, file: RemoteFile, path: string, options: DownloadOptions): Promise<void> {
  const { hub, onProgress = () => {}, signal } = options;
  await mkdir(dirname(path), { recursive: true });
  for (let attempt = 1; ; attempt += 1) {
    const done = await sizeOf(path);
    if (file.size === null || done < file.size) {
      try {
        await fetchRest(id, file, path, done, options);
      } catch (cause) {
        signal?.throwIfAborted();
        if (cause instanceof RecommenderError) throw cause;
        if (isDisk(cause)) throw cause;
        if (attempt >= MAX_ATTEMPTS) failDownload(id, hub, `${file.name} broke off ${attempt} times`, cause);
        await sleep(PAUSE_MS * attempt);
        continue;
      }
    }
    const wrong = await describeDamage(file, path);
    onProgress({ file: file.name, done: await sizeOf(path), total: file.size });
    if (wrong === null) return;
    await rm(path, { force: true });
    if (attempt >= 2) failDownload(id, hub, `${file.name} is damaged: ${wrong}`);
  }
}

async function fetchRest(
  id: string,
  file: RemoteFile,
  path: string,
  from: number,
  options: DownloadOptions,
): Promise<void> {
  const { hub, onProgress = () => {}, signal } = options;
  const { etag } = file;
  // Only the hub's ETags are hashes; ETags of the storage are not. The final hash check detects parts of different
  // files.
  const isHash = etag === "" || FILE_HASH.test(etag) || GIT_HASH.test(etag);
  const range = from > 0 ? { range: `bytes=${from}-`, ...(!isHash && { "if-range": `"${etag}"` }) } : {};
  const response = await request(id, hub, new URL(file.url), { headers: range, redirect: "follow" }, signal);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  // A server without range support, or with a changed file, sends the whole file.
  const start = response.status === 206 ? from : 0;
  let done = start;
  const body = Readable.fromWeb(response.body as ReadableStream);
  body.on("data", (chunk: Buffer) => {
    done += chunk.length;
    onProgress({ file: file.name, done, total: file.size });
  });
  const target = createWriteStream(path, { flags: start === 0 ? "w" : "a" });
  await pipeline(body, target, signal === undefined ? {} : { signal });
}

/** Null if the file matches the hub's metadata; an unknown hash is not compared. */
async function describeDamage({ size, etag }: RemoteFile, path: string): Promise<string | null> {
  const actual = await sizeOf(path);
  if (size !== null && actual !== size) return `it has ${actual} bytes, not ${size}`;
  const hash = FILE_HASH.test(etag) ? createHash("sha256") : GIT_HASH.test(etag) ? gitHash(actual) : null;
  if (hash === null) return null;
  await pipeline(createReadStream(path), hash);
  const found = hash.digest("hex");
  return found === etag ? null : `its hash is ${found}, not ${etag}`;
}

/** The git blob hash, which the hub reports for small files. */
function gitHash(size: number) {
  return createHash("sha1").update(`blob ${size}\0`);
}

async function request(
  id: string,
  hub: string,
  url: URL,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const stop = new AbortController();
  const late = new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`);
  const timer = setTimeout(() => stop.abort(late), ANSWER_TIMEOUT_MS);
  const signals = signal === undefined ? [stop.signal] : [stop.signal, signal];
  try {
    return await fetch(url, { redirect: "manual", ...init, signal: AbortSignal.any(signals) });
  } catch (cause) {
    signal?.throwIfAborted();
    return failDownload(id, hub, "the hub cannot be reached", cause);
  } finally {
    clearTimeout(timer);
  }
}

async function storeFile(id: string, hub: string, scratch: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (cause) {
    if (!isDisk(cause)) throw cause;
    failDownload(id, hub, `it could not be stored in ${scratch}`, cause);
  }
}

const isDisk = (cause: unknown): boolean =>
  typeof (cause as NodeJS.ErrnoException).syscall === "string" && (cause as NodeJS.ErrnoException).path !== undefined;

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function failDownload(id: string, hub: string, what: string, cause?: unknown): never {
  throw new RecommenderError(
    "MODEL_UNAVAILABLE",
    `The model ${id} could not be downloaded from ${hub}: ${what}${reasonOf(cause)}. ${HOW_TO_COPY}`,
    { cause },
  );
}

/** The reason of a failed fetch, whose own message is only "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const inner = error.cause as { code?: string; message?: string } | undefined;
  return ` (${inner?.code ?? inner?.message ?? error.message})`;
}
