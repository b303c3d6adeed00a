import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import yauzl, { type Entry as ZipEntry, type ZipFile } from "yauzl";
import { formatOf } from "../formats.js";
import type { Rejection } from "../notebook.js";
import { ARCHIVE_LIMITS, type ArchiveLimits, createMeter, damaged, refuse, safePath } from "./archive-limits.js";
import { isCandidateInside } from "./candidates.js";
import type { Content, Found } from "./entry.js";

const STORED = 0;
const DEFLATED = 8;
const LOCAL_HEADER = 30;

const inflate = promisify(inflateRaw);

/** The notebooks of a zip archive, by its directory; each is unpacked when it is read, in memory. */
export async function* readZip(
  source: string,
  file: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<Found> {
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
        const rejected = isWanted ? check(entry, path, limits) : null;
        meter.addEntry();
        if (isWanted) meter.addBytes(entry.uncompressedSize);
        const excess = meter.excess();
        if (rejected !== null) yield { source, path: path ?? name, rejected };
        else if (excess !== null) {
          yield { source, path: path!, rejected: excess, hides: true };
          return;
        } else if (isWanted) yield toEntry(source, path!, file, entry, limits);
      }
    } finally {
      zip.close();
    }
  } catch (error) {
    yield { source, path: ".", rejected: damaged(error), hides: true };
  }
}

/** How many notebooks it holds; 1 for one that cannot be opened. */
export async function countZip(file: string): Promise<number> {
  let count = 0;
  for await (const _ of readZip("", file)) count += 1;
  return count;
}

function check(entry: ZipEntry, path: string | null, limits: ArchiveLimits): Rejection | null {
  const refused = refuse(path, entry.uncompressedSize, limits);
  if (refused !== null) return refused;
  if (entry.isEncrypted()) return { kind: "unreadable", reason: "it is encrypted" };
  if (entry.compressionMethod === STORED || entry.compressionMethod === DEFLATED) return null;
  return { kind: "unreadable", reason: `it is compressed by a method (${entry.compressionMethod}) that is not read` };
}

function toEntry(source: string, path: string, file: string, entry: ZipEntry, limits: ArchiveLimits): Found {
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
      // The archive is opened again: entries may be read long after its directory was.
      const archive = await open(file).catch(() => null);
      if (archive === null) return { rejected: { kind: "unreadable", reason: "the archive has gone" } };
      try {
        const header = Buffer.alloc(LOCAL_HEADER);
        await archive.read(header, 0, LOCAL_HEADER, at);
        const from = at + LOCAL_HEADER + header.readUInt16LE(26) + header.readUInt16LE(28);
        const packed = Buffer.alloc(Math.min(compressedSize, limits.file));
        await archive.read(packed, 0, packed.length, from);
        const bytes =
          compressionMethod === STORED ? packed : await inflate(packed, { maxOutputLength: Math.max(1, size) });
        if (bytes.length !== size)
          return { rejected: { kind: "unreadable", reason: "it is damaged: its size is not what the archive says" } };
        if (crc32(bytes) !== checksum)
          return {
            rejected: { kind: "unreadable", reason: "it is damaged: its checksum is not what the archive says" },
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
    // Names are checked one by one: a bad one must not end the whole archive.
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
