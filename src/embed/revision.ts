import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** Reading CodeBERT's 500 MB takes about a second, which every command would pay. */
const WORTH_REMEMBERING = 32 * 1024 * 1024;

/** Twelve hex digits that change with the content of any of the files. */
export async function hashFiles(paths: readonly string[], cacheFolder: string): Promise<string> {
  const hashes: string[] = [];
  for (const path of paths) hashes.push(await hashFile(path, cacheFolder));
  return sha256(hashes.join("\n")).slice(0, 12);
}

async function hashFile(path: string, cacheFolder: string): Promise<string> {
  const { size, mtimeMs, ctimeMs, ino } = await stat(path);
  if (size < WORTH_REMEMBERING) return hashContent(path);
  const folder = join(cacheFolder, "checksums");
  const remembered = join(folder, sha256([path, size, mtimeMs, ctimeMs, ino].join("\n")));
  const known = await readFile(remembered, "utf8").catch(() => "");
  if (/^[0-9a-f]{64}$/.test(known)) return known;
  const hash = await hashContent(path);
  // Only time is lost where the folder cannot be written.
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
