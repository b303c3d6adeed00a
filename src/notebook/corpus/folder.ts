import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatOf } from "../formats.js";
import type { FilePath } from "../notebook.js";
import { isCandidate, isIgnored, type OnSkipped, type SkippedKind, TAR, ZIP } from "./candidates.js";
import type { CorpusItem } from "./entry.js";
import { type KernelMetadata, readKernelMetadata } from "./kaggle.js";

interface FolderOptions {
  readonly source: string;
  /** The real path of the folder. */
  readonly folder: string;
  /** Real paths of subfolders that are left out, because they are read separately. */
  readonly except?: ReadonlySet<string>;
  /** Called for every entry that is not searched. */
  readonly onSkipped?: OnSkipped;
}

/** Number of concurrent stat calls; sequential calls would mostly wait. */
const FILES_AT_ONCE = 64;
/** The time resolution of some file systems. */
const MTIME_RESOLUTION_MS = 2_000;
const METADATA = "kernel-metadata.json";

/** The notebooks of a folder, files in the order of their names. Links are not followed, which avoids loops. */
export async function* walkFolder({
  source,
  folder,
  except = new Set(),
  onSkipped = () => {},
}: FolderOptions): AsyncGenerator<CorpusItem> {
  yield* walk(folder, "");

  async function* walk(at: FilePath, above: string): AsyncGenerator<CorpusItem> {
    const listed = await listFolder(at);
    if ("reason" in listed) {
      yield {
        source,
        path: above === "" ? "." : above,
        rejected: { kind: "unreadable", ...listed },
        isContainer: true,
      };
      return;
    }
    const files: { readonly path: string; readonly file: FilePath }[] = [];
    const metadata = findMetadata(listed.children);
    const describe = () =>
      Promise.all(
        files.splice(0).map(async ({ path, file }) => addMetadata(await describeFile(source, path, file), metadata)),
      );
    for (const { entry, name, file } of listed.children) {
      const path = above === "" ? name : `${above}/${name}`;
      if (isIgnored(name) || (typeof file === "string" && except.has(file))) continue;
      if (entry.isFile() && isCandidate(fullName(folder, path))) files.push({ path, file });
      else {
        const kind = await skippedKindOf(entry, path, file);
        if (kind !== null) onSkipped(kind, path);
      }
      if (files.length === FILES_AT_ONCE || entry.isDirectory()) yield* await describe();
      if (entry.isDirectory()) yield* walk(file, path);
    }
    yield* await describe();
  }
}

function findMetadata(children: readonly Child[]): KernelMetadata | null {
  const file = children.find(({ name }) => name === METADATA)?.file;
  return typeof file === "string" ? readKernelMetadata(file) : null;
}

function addMetadata(found: CorpusItem, metadata: KernelMetadata | null): CorpusItem {
  if ("rejected" in found || metadata === null || basename(found.path) !== metadata.codeFile) return found;
  return { ...found, facts: { ...found.facts, ...metadata.facts } };
}

/** The kind of an entry that is not searched; null if it cannot hold notebooks. */
async function skippedKindOf(entry: Dirent, path: string, file: FilePath): Promise<SkippedKind | null> {
  if (entry.isDirectory()) return null;
  if (entry.isFile()) return ZIP.test(path) || TAR.test(path) ? "archives" : null;
  if (!entry.isSymbolicLink()) return isCandidate(path) ? "pipes, sockets or devices" : null;
  const target = await stat(toPath(file)).catch(() => null);
  return isCandidate(path) || target?.isDirectory() ? "links" : null;
}

/** The path including the name of the folder, which may determine the type of a file. */
function fullName(folder: string, path: string): string {
  return `${basename(folder)}/${path}`;
}

/** The number of files that `walkFolder` examines. */
export async function countFolder({ folder, except = new Set() }: Omit<FolderOptions, "source">): Promise<number> {
  const listed = await listFolder(folder);
  if ("reason" in listed) return 1;
  let count = 0;
  for (const { entry, name, file } of listed.children) {
    if (isIgnored(name) || (typeof file === "string" && except.has(file))) continue;
    // A folder whose name is not UTF-8 is counted as one file.
    if (entry.isDirectory()) count += typeof file === "string" ? await countFolder({ folder: file, except }) : 1;
    else if (entry.isFile() && isCandidate(fullName(folder, name))) count += 1;
  }
  return count;
}

/** An entry for one file, with the facts that `walkFolder` would find. */
export async function describeAlone(source: string, path: string, file: string, named = false): Promise<CorpusItem> {
  return addMetadata(await describeFile(source, path, file, named), readKernelMetadata(join(dirname(file), METADATA)));
}

/** An entry for one file; a file whose name is not UTF-8 can be read, but has no location. */
async function describeFile(source: string, path: string, file: FilePath, named = false): Promise<CorpusItem> {
  const stats = await lstat(toPath(file)).catch(() => null);
  return {
    source,
    path,
    facts: typeof file === "string" ? { location: file } : {},
    // A missing file is reported when it is read. A file that was just written has no stamp, because it may change
    // again with the same time.
    stamp: stats === null || Date.now() - stats.mtimeMs < MTIME_RESOLUTION_MS ? null : `${stats.size} ${stats.mtimeMs}`,
    size: stats?.size ?? null,
    named,
    read: async () => ({ format: formatOf(path), file }),
  };
}

function toPath(file: FilePath): string | Buffer {
  return typeof file === "string" ? file : Buffer.from(file);
}

interface Child {
  readonly entry: Dirent;
  /** The path for messages; bytes that are not UTF-8 are shown as `\xE9`. */
  readonly name: string;
  readonly file: FilePath;
}

async function listFolder(folder: FilePath): Promise<{ readonly children: Child[] } | { readonly reason: string }> {
  try {
    const children = typeof folder === "string" ? await listNames(folder) : await listBytes(Buffer.from(folder));
    return { children: children.sort((one, other) => (one.name < other.name ? -1 : 1)) };
  } catch (error) {
    return { reason: `the folder cannot be read: ${(error as Error).message}` };
  }
}

async function listNames(folder: string): Promise<Child[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  // U+FFFD replaces invalid UTF-8. A file with it in its name can only be opened by the bytes of the name.
  if (entries.some(({ name }) => name.includes("\uFFFD"))) return listBytes(Buffer.from(folder));
  return entries.map((entry) => ({ entry, name: entry.name, file: join(folder, entry.name) }));
}

async function listBytes(folder: Buffer): Promise<Child[]> {
  const entries = (await readdir(folder, { withFileTypes: true, encoding: "buffer" })) as unknown as (Dirent & {
    name: Buffer;
  })[];
  return entries.map((entry) => {
    const bytes: Buffer = entry.name as unknown as Buffer;
    const file = Buffer.concat([folder, Buffer.from("/"), bytes]);
    const isText = Buffer.from(file.toString()).equals(file);
    return { entry, name: escapeBytes(bytes), file: isText ? file.toString() : file };
  });
}

function escapeBytes(name: Buffer): string {
  const text = name.toString();
  if (Buffer.from(text).equals(name)) return text;
  return [...name]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase()}`))
    .join("");
}
