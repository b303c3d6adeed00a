import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { type Duplex, pipeline, type Readable, Transform } from "node:stream";
import { promisify } from "node:util";
import { crc32, createGunzip, inflateRaw } from "node:zlib";
import { extract } from "tar-stream";
import unbzip2 from "unbzip2-stream";
import yauzl, { type Entry as ZipEntry, type ZipFile } from "yauzl";
import { overLimit } from "../file-system.js";
import { formatOf } from "../formats.js";
import type { Rejection } from "../notebook.js";
import { isCandidateInside } from "./candidates.js";
import type { Content, CorpusItem } from "./entry.js";

const STORED = 0;
const DEFLATED = 8;
const LOCAL_HEADER_BYTES = 30;

const inflate = promisify(inflateRaw);

/** The notebooks listed in the directory of a zip archive. Each is unpacked in memory when it is read. */
export async function* readZip(
  source: string,
  file: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<CorpusItem> {
  try {
    const zip = await openZip(file);
    const meter = createMeter(zip.fileSize, limits);
    try {
      for await (const entry of entriesOf(zip)) {
        const name = yauzl.getFileNameLowLevel(
          entry.generalPurposeBitFlag,
          entry.fileNameRaw,
          entry.extraFields,
          false,
        );
        const path = safePath(name);
        const isWanted = !name.endsWith("/") && (path === null || isCandidateInside(path));
        const rejected = isWanted ? checkEntry(entry, path, limits) : null;
        meter.addEntry();
        if (isWanted) meter.addBytes(entry.uncompressedSize);
        const excess = meter.excess();
        if (rejected !== null) yield { source, path: path ?? name, rejected };
        else if (excess !== null) {
          yield { source, path: path!, rejected: excess, isContainer: true };
          return;
        } else if (isWanted) yield toEntry(source, path!, file, entry, limits);
      }
    } finally {
      zip.close();
    }
  } catch (error) {
    yield { source, path: ".", rejected: rejectDamaged(error), isContainer: true };
  }
}

/** The number of notebooks in an archive; 1 if it cannot be opened. */
export async function countZip(file: string): Promise<number> {
  let count = 0;
  for await (const _ of readZip("", file)) count += 1;
  return count;
}

function checkEntry(entry: ZipEntry, path: string | null, limits: ArchiveLimits): Rejection | null {
  const refused = checkFile(path, entry.uncompressedSize, limits);
  if (refused !== null) return refused;
  if (entry.isEncrypted()) return { kind: "unreadable", reason: "it is encrypted" };
  if (entry.compressionMethod === STORED || entry.compressionMethod === DEFLATED) return null;
  return { kind: "unreadable", reason: `it is compressed by an unsupported method (${entry.compressionMethod})` };
}

function toEntry(source: string, path: string, file: string, entry: ZipEntry, limits: ArchiveLimits): CorpusItem {
  const {
    uncompressedSize: size,
    crc32: checksum,
    compressedSize,
    compressionMethod,
    relativeOffsetOfLocalHeader: at,
  } = entry;
  return {
    source,
    path,
    facts: {},
    stamp: `${size} ${checksum}`,
    size,
    named: false,
    async read(): Promise<Content | { rejected: Rejection }> {
      // The archive is opened again, because entries may be read long after the directory.
      const archive = await open(file).catch(() => null);
      if (archive === null) return { rejected: { kind: "unreadable", reason: "the archive no longer exists" } };
      try {
        const header = Buffer.alloc(LOCAL_HEADER_BYTES);
        await archive.read(header, 0, LOCAL_HEADER_BYTES, at);
        const from = at + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
        const packed = Buffer.alloc(Math.min(compressedSize, limits.file));
        await archive.read(packed, 0, packed.length, from);
        const bytes =
          compressionMethod === STORED ? packed : await inflate(packed, { maxOutputLength: Math.max(1, size) });
        if (bytes.length !== size)
          return {
            rejected: {
              kind: "unreadable",
              reason: "it is damaged: its size differs from the size in the archive's directory",
            },
          };
        if (crc32(bytes) !== checksum)
          return {
            rejected: {
              kind: "unreadable",
              reason: "it is damaged: its checksum differs from the checksum in the archive's directory",
            },
          };
        return { format: formatOf(path), bytes };
      } catch (error) {
        return { rejected: { kind: "unreadable", reason: `it is damaged: ${(error as Error).message}` } };
      } finally {
        await archive.close();
      }
    },
  };
}

function openZip(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    // Names are checked one by one, so a bad name does not end the whole archive.
    yauzl.open(file, { lazyEntries: true, autoClose: false, decodeStrings: false }, (error, zip) =>
      error === null ? resolve(zip) : reject(error),
    );
  });
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<ZipEntry> {
  for (;;) {
    const entry = await new Promise<ZipEntry | null>((resolve, reject) => {
      const listen = (event: string, act: (value: never) => void) =>
        zip.once(event, (value) => {
          for (const other of ["entry", "end", "error"]) zip.removeAllListeners(other);
          act(value as never);
        });
      listen("entry", resolve);
      listen("end", () => resolve(null));
      listen("error", reject);
      zip.readEntry();
    });
    if (entry === null) return;
    yield entry;
  }
}

/** Limits of an archive, against zip bombs. */
export interface ArchiveLimits {
  /** Bytes of one file. */
  readonly file: number;
  /** Maximum ratio of unpacked to packed size. One file of the maximum size is always allowed in addition. */
  readonly ratio: number;
  /** Maximum number of files of any kind. */
  readonly entries: number;
}

/** Three times the number of files in the largest known corpus. */
export const ARCHIVE_LIMITS: ArchiveLimits = { file: 64 * 2 ** 20, ratio: 200, entries: 20_000_000 };

/** Sums the unpacked size of an archive, and checks the limits. */
export function createMeter(packed: number, limits: ArchiveLimits) {
  let [unpacked, entries] = [0, 0];
  return {
    addBytes(bytes: number): void {
      unpacked += bytes;
    },
    addEntry(): void {
      entries += 1;
    },
    /** The exceeded limit; null while the archive is within its limits. */
    excess(): Rejection | null {
      if (unpacked > packed * limits.ratio + limits.file)
        return rejectArchive(`unpacks to more than ${limits.ratio} times its size`);
      return entries > limits.entries
        ? rejectArchive(`contains more than ${limits.entries.toLocaleString("en")} files`)
        : null;
    },
  };
}

/** The reason why a file inside an archive must not be read; null if it may. */
function checkFile(path: string | null, size: number, limits: ArchiveLimits): Rejection | null {
  if (path === null) return { kind: "unreadable", reason: "its path leads out of the archive" };
  return size > limits.file ? tooLarge(size, limits) : null;
}

/** The path of a file inside an archive, with `/` as separator; null if it points outside. */
function safePath(name: string): string | null {
  const parts = name.replaceAll("\\", "/").split("/");
  const isOutside = parts[0] === "" || /^[A-Za-z]:$/.test(parts[0]!) || parts.includes("..") || name.includes("\0");
  return isOutside ? null : parts.filter((part) => part !== "." && part !== "").join("/");
}

export function tooLarge(size: number, { file }: ArchiveLimits): Rejection {
  return { kind: "too-large", reason: overLimit(size, file) };
}

export function rejectDamaged(error: unknown): Rejection {
  return { kind: "unreadable", reason: `the archive is damaged from here on: ${(error as Error).message}` };
}

function rejectArchive(what: string): Rejection {
  return { kind: "too-large", reason: `the archive ${what}; the rest is left out` };
}

/** The notebooks of a tar archive, compressed or not, read as a stream. */
export async function* readTar(
  source: string,
  file: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<CorpusItem> {
  const meter = createMeter((await stat(file)).size, limits);
  const limiter = new Transform({
    transform(chunk: Buffer, _, done) {
      meter.addBytes(chunk.length);
      done(meter.excess() === null ? null : new Error("too much"), chunk);
    },
  });
  const entries = extract();
  // Iterating throws every error; the empty callback avoids an uncaught error.
  const streams = [...unpackingStreams(file), limiter, entries];
  pipeline(streams as unknown as NodeJS.ReadWriteStream[], () => {});
  try {
    for await (const entry of entries) {
      const { name, type, size = 0, mtime } = entry.header;
      const path = safePath(name);
      meter.addEntry();
      if (meter.excess() !== null) throw new Error("too much");
      const isWanted = type === "file" && (path === null || isCandidateInside(path));
      const rejected = isWanted ? checkFile(path, size, limits) : null;
      if (isWanted && path !== null && rejected === null) {
        const bytes = await collect(entry);
        yield {
          source,
          path,
          facts: {},
          stamp: `${size} ${mtime?.getTime() ?? 0}`,
          size,
          named: false,
          read: async () => ({ format: formatOf(path), bytes }),
        };
        continue;
      }
      if (rejected !== null) yield { source, path: path ?? name, rejected };
      entry.resume();
    }
  } catch (error) {
    yield { source, path: ".", rejected: meter.excess() ?? rejectDamaged(error), isContainer: true };
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The streams that read a file and unpack it by its name: `.gz`, `.tgz`, `.bz2`, or no packing. For `pipeline`. */
export function unpackingStreams(file: string): [Readable, ...Duplex[]] {
  const bytes = createReadStream(file);
  if (/\.(tgz|gz)$/i.test(file)) return [bytes, createGunzip()];
  // Node has no bzip2.
  return /\.(tbz2?|bz2)$/i.test(file) ? [bytes, unbzip2()] : [bytes];
}
