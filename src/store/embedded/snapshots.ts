import { createHash, type Hash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { IndexState } from "./state.js";

const NAMES = ["cells", "profiles", "graph", "words"] as const;
type SnapshotName = (typeof NAMES)[number];

interface Snapshot {
  readonly file: string;
  readonly facts: SnapshotFacts;
}

/** The loaded files that the threads share while an index is opened. Their content is never modified. */
export interface FileSharing {
  /** Contents by file name; null if nothing is shared. */
  files: Map<string, unknown> | null;
}

type SealedFile = NonNullable<ReturnType<typeof openSealed>>;

/** Derived files: `name-generation-row.snapshot` covers the rows of a generation up to `row`. */
export function createSnapshots(folder: string, sharing: FileSharing = { files: null }) {
  const list = (name: SnapshotName): readonly string[] => {
    const pattern = new RegExp(`^${name}-[0-9a-f]+-\\d+\\.snapshot$`);
    return existsSync(folder) ? readdirSync(folder).filter((file) => pattern.test(file)) : [];
  };
  const find = (name: SnapshotName, format: string, { index, generation, commits }: IndexState) =>
    list(name).flatMap((file) => {
      const sealed = file.startsWith(`${name}-${generation}-`) ? openSealed(join(folder, file)) : null;
      sealed?.close();
      const facts = sealed?.facts;
      // If a snapshot has more commits than the database, an older copy of the database was restored.
      const isOurs = facts?.format === format && facts.index === index && facts.commits <= commits;
      return isOurs ? [{ file, facts }] : [];
    });

  return {
    list,

    pathOf: (file: string): string => join(folder, file),

    /** The snapshots of this state, by the last row that they cover. */
    find: (name: SnapshotName, format: string, state: IndexState): readonly Snapshot[] =>
      find(name, format, state).sort((a, b) => a.facts.row - b.facts.row),

    /** Reads a snapshot; null if it is damaged. */
    async read<T>({ file }: Snapshot, load: (sealed: SealedFile) => Promise<T | null>): Promise<T | null> {
      const sealed = openSealed(join(folder, file));
      if (sealed === null) return null;
      try {
        const loaded = await load(sealed);
        return loaded !== null && sealed.isWhole() ? loaded : null;
      } finally {
        sealed.close();
      }
    },

    /** Like `read`, for content in shared buffers: another thread may have loaded it already. */
    async readShared<T>(snapshot: Snapshot, load: (sealed: SealedFile) => Promise<T | null>): Promise<T | null> {
      const known = sharing.files?.get(snapshot.file);
      if (known !== undefined) return known as T;
      const loaded = await this.read(snapshot, load);
      if (loaded !== null) sharing.files?.set(snapshot.file, loaded);
      return loaded;
    },

    /** Writes a snapshot in slices, and replaces the older ones atomically. */
    async write(name: SnapshotName, facts: SnapshotFacts, slices: Iterable<Uint8Array>): Promise<void> {
      const part = this.partOf(name, facts);
      const writer = createSealedWriter(part);
      try {
        for (const slice of slices) {
          writer.write(slice);
          await nextTurn();
        }
      } catch (error) {
        writer.abandon();
        rmSync(part, { force: true });
        throw error;
      }
      writer.finish(facts);
      this.replace(name, facts);
    },

    partOf: (name: SnapshotName, { generation, row }: SnapshotFacts): string =>
      join(folder, `${name}-${generation}-${row}.snapshot.part`),

    /** Moves the finished file into place, and deletes the other files of the same name except those to keep. */
    replace(name: SnapshotName, facts: SnapshotFacts, keep: readonly string[] = []): string {
      const file = `${name}-${facts.generation}-${facts.row}.snapshot`;
      renameSync(this.partOf(name, facts), join(folder, file));
      for (const old of list(name)) if (old !== file && !keep.includes(old)) rmSync(join(folder, old), { force: true });
      return file;
    },

    /** Deletes leftovers of an unfinished settle; call with the settle lock held. */
    sweep(): void {
      for (const left of readdirSync(folder)) if (left.endsWith(".part")) rmSync(join(folder, left), { force: true });
    },

    /**
     * Deletes snapshots that are newer than the database: it is a restored copy, and they would be wrong once it has
     * grown.
     */
    dropNewer(read: () => IndexState | null): void {
      for (const name of NAMES) {
        for (const file of list(name)) {
          const sealed = openSealed(join(folder, file));
          sealed?.close();
          // Read after the file, because a writer commits before it writes a file.
          const now = sealed === null ? null : read();
          const isNewer = now !== null && sealed?.facts.index === now.index && sealed.facts.commits > now.commits;
          if (isNewer) rmSync(join(folder, file), { force: true });
        }
      }
    },
  };
}

export type Snapshots = ReturnType<typeof createSnapshots>;

/** The index that a derived file belongs to, and the rows that it covers. */
export interface SnapshotFacts {
  /** Layout of the file; a file of another layout is rebuilt. */
  readonly format: string;
  readonly index: string;
  readonly generation: string;
  readonly commits: number;
  /** The last row that it covers, and the last removal. */
  readonly row: number;
  readonly removal: number;
  /** Further facts for the reader of the file. */
  readonly parts: Readonly<Record<string, number>>;
}

const DIGEST = 32;
/** Bytes per slice; other work can run between two slices. */
export const SLICE = 1 << 20;

/**
 * A derived file ends with its facts, their length, and the hash of everything before, so that a truncated or changed
 * file is detected. Some readers (usearch) crash the process on a damaged file.
 */
export function createSealedWriter(path: string) {
  const descriptor = openSync(path, "w");
  const hasher = createHash("sha256");
  const write = (bytes: Uint8Array) => {
    hasher.update(bytes);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  };
  return {
    write,
    finish(facts: SnapshotFacts): void {
      write(trailer(facts));
      const digest = hasher.digest();
      writeSync(descriptor, digest);
      closeSync(descriptor);
    },
    abandon: () => closeSync(descriptor),
  };
}

/** Seals a file that other code wrote. */
export function seal(path: string, facts: SnapshotFacts): void {
  appendFileSync(path, trailer(facts));
  const descriptor = openSync(path, "r");
  try {
    const hasher = createHash("sha256");
    const { size } = fstatSync(descriptor);
    for (let at = 0; at < size; at += SLICE) hashSlice(descriptor, hasher, at, Math.min(SLICE, size - at));
    appendFileSync(path, hasher.digest());
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a sealed file for sequential reading; null if it has no valid trailer. */
export function openSealed(path: string) {
  // Another process may have replaced the file by a newer one.
  if (!existsSync(path)) return null;
  const descriptor = openSync(path, "r");
  const { size } = fstatSync(descriptor);
  const end = readTrailer(descriptor, size);
  if (end === null) {
    closeSync(descriptor);
    return null;
  }
  const hasher = createHash("sha256");
  let at = 0;
  return {
    facts: end.facts,
    /** Bytes of the content. */
    length: end.start,
    /** False if the file is shorter than expected. */
    read(into: Uint8Array): boolean {
      for (let filled = 0; filled < into.length; ) {
        const length = Math.min(SLICE, into.length - filled, end.start - at);
        const read = length <= 0 ? 0 : readSync(descriptor, into, filled, length, at);
        if (read === 0) return false;
        hasher.update(into.subarray(filled, filled + read));
        filled += read;
        at += read;
      }
      return true;
    },
    /** Skips a slice of the content; false at its end. */
    skip(): boolean {
      if (at >= end.start) return false;
      const length = Math.min(SLICE, end.start - at);
      hashSlice(descriptor, hasher, at, length);
      at += length;
      return true;
    },
    /** Whether everything was read and the hash is correct. */
    isWhole(): boolean {
      if (at !== end.start) return false;
      hashSlice(descriptor, hasher, at, size - DIGEST - at);
      return hasher.digest().equals(end.digest);
    },
    close: () => closeSync(descriptor),
  };
}

function trailer(facts: SnapshotFacts): Buffer {
  const text = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([text, length]);
}

function readTrailer(descriptor: number, size: number) {
  const fixed = Buffer.alloc(4 + DIGEST);
  if (size < fixed.length || readSync(descriptor, fixed, 0, fixed.length, size - fixed.length) < fixed.length)
    return null;
  const length = fixed.readUInt32LE(0);
  const start = size - fixed.length - length;
  if (start < 0 || length > SLICE - 4) return null;
  const text = Buffer.alloc(length);
  readSync(descriptor, text, 0, length, start);
  try {
    return { facts: JSON.parse(text.toString()) as SnapshotFacts, start, digest: fixed.subarray(4) };
  } catch {
    return null;
  }
}

/** Reused for every slice: allocating each time would cost more than reading. */
const scratch = Buffer.alloc(SLICE);

/** Reads at most one slice. */
function hashSlice(descriptor: number, hasher: Hash, from: number, length: number): void {
  const read = readSync(descriptor, scratch, 0, length, from);
  hasher.update(scratch.subarray(0, read));
}
