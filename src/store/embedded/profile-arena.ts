import { setImmediate as nextTurn } from "node:timers/promises";
import { isPackedProfile } from "../profile-pack.js";
import { createRowSlots } from "../row-slots.js";
import type { Database } from "./database.js";
import type { SnapshotFacts, Snapshots } from "./snapshots.js";
import type { IndexState } from "./state.js";

/** Keeps the packed profiles of cells in memory, by row, so candidates need not be read from the database. */
export interface ProfileArena {
  /** Damaged profiles and those that do not fit are not kept; they are read from the database instead. */
  set(row: number, packed: Uint8Array): void;
  /** Like `add`, for a profile that is known to be intact. */
  setIntact(row: number, packed: Uint8Array): void;
  delete(row: number): void;
  /** Null for a row that is not kept. The bytes belong to the arena. */
  get(row: number): Uint8Array | null;
  /** The rows that are kept, in the order of insertion. */
  rows(): number[];
  /** The content, for arenas of other threads. Do not add to this arena afterwards. */
  share(): SharedProfiles;
}

/** The content of an arena, in shared buffers. */
interface SharedProfiles {
  readonly rows: Int32Array;
  readonly places: Uint32Array;
  readonly lengths: Uint32Array;
  readonly chunks: readonly Uint8Array[];
}

/** A profile has about 470 bytes, so 400,000 cells fit. */
const MAX_BYTES = 192 << 20;
const CHUNK = 1 << 20;
/** Profiles are aligned, because features read them as integers. */
const ALIGNED = 4;
const NO_ROW = -1;

/** `shared` is the initial content, taken from the arena of another thread. */
export function createProfileArena(maxBytes = MAX_BYTES, shared?: SharedProfiles): ProfileArena {
  const chunks = [...(shared?.chunks ?? [])];
  const entryOf = createRowSlots();
  let rows = shared?.rows.slice() ?? new Int32Array(1024);
  /** For each entry the offset of its profile over all chunks, and its length. Shared entries are not changed. */
  let places = shared?.places ?? new Uint32Array(1024);
  let lengths = shared?.lengths ?? new Uint32Array(1024);
  let entries = shared?.rows.length ?? 0;
  // New profiles go into new chunks.
  let used = chunks.length * CHUNK;
  for (let entry = 0; entry < entries; entry += 1) if (rows[entry] !== NO_ROW) entryOf.set(rows[entry]!, entry);

  const place = (length: number): number | null => {
    const room = Math.ceil(length / ALIGNED) * ALIGNED;
    // A profile never spans two chunks.
    const start = (used % CHUNK) + room > CHUNK ? Math.ceil(used / CHUNK) * CHUNK : used;
    if (length > CHUNK || start + room > maxBytes) return null;
    if (start / CHUNK >= chunks.length) chunks.push(new Uint8Array(new SharedArrayBuffer(CHUNK)));
    used = start + room;
    return start;
  };
  const remove = (row: number): void => {
    const entry = entryOf.get(row);
    if (entry === -1) return;
    entryOf.delete(row);
    rows[entry] = NO_ROW;
  };
  const put = (row: number, packed: Uint8Array): void => {
    remove(row);
    const start = place(packed.length);
    if (start === null) return;
    if (entries === rows.length) {
      rows = grown(rows, Int32Array);
      places = grown(places, Uint32Array);
      lengths = grown(lengths, Uint32Array);
    }
    chunks[Math.floor(start / CHUNK)]!.set(packed, start % CHUNK);
    rows[entries] = row;
    places[entries] = start;
    lengths[entries] = packed.length;
    entryOf.set(row, entries);
    entries += 1;
  };
  return {
    set(row, packed) {
      if (isPackedProfile(packed)) put(row, packed);
    },
    setIntact: put,
    delete: remove,
    get(row) {
      const entry = entryOf.get(row);
      if (entry === -1) return null;
      const start = places[entry]! % CHUNK;
      return chunks[Math.floor(places[entry]! / CHUNK)]!.subarray(start, start + lengths[entry]!);
    },
    rows: () => [...rows.subarray(0, entries)].filter((row) => row !== NO_ROW),
    share: () => ({
      rows: toShared(rows.subarray(0, entries), Int32Array),
      places: toShared(places.subarray(0, entries), Uint32Array),
      lengths: toShared(lengths.subarray(0, entries), Uint32Array),
      chunks: chunks.slice(),
    }),
  };
}

function toShared<T extends Int32Array | Uint32Array>(array: T, make: new (buffer: SharedArrayBuffer) => T): T {
  const copy = new make(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}

function grown<T extends Int32Array | Uint32Array>(array: T, make: new (length: number) => T): T {
  const larger = new make(array.length * 2);
  larger.set(array);
  return larger;
}

/** Changes with the layout of the file and of a profile. */
const FORMAT = "profiles-1";
/** Number of profiles written or read at once. */
const BATCH = 4_096;
const READ_AT_ONCE = 500;

/** Saves the profiles up to the row of the facts: all rows, all lengths, then all bytes. */
export async function saveProfiles(
  snapshots: Snapshots,
  facts: Omit<SnapshotFacts, "format" | "parts">,
  arena: ProfileArena,
): Promise<void> {
  const rows = Uint32Array.from(arena.rows().filter((row) => row <= facts.row));
  const lengths = Uint32Array.from(rows, (row) => arena.get(row)?.length ?? 0);
  function* slices(): Generator<Uint8Array> {
    yield new Uint8Array(rows.buffer);
    yield new Uint8Array(lengths.buffer);
    for (let from = 0; from < rows.length; from += BATCH) {
      // A row that was removed meanwhile is written as zeros, which is not a valid profile.
      const batch = [...rows.subarray(from, from + BATCH)].map(
        (row, at) => arena.get(row) ?? new Uint8Array(lengths[from + at]!),
      );
      yield Buffer.concat(batch);
    }
  }
  await snapshots.write("profiles", { ...facts, format: FORMAT, parts: { profiles: rows.length } }, slices());
}

/** Whether a saved file exists. */
export function hasProfiles(snapshots: Snapshots, state: IndexState): boolean {
  return snapshots.find("profiles", FORMAT, state).length > 0;
}

/**
 * Fills an empty arena from the database, up to a row. Needed for an index of an earlier version, which has no profile
 * file.
 */
export async function readProfiles(database: Database, last: number, arena: ProfileArena): Promise<void> {
  const slice = database
    .prepare<[number, number]>(
      `select row, cast(profile as blob) from vectors where row > ? and row <= ? order by row limit ${READ_AT_ONCE}`,
    )
    .raw();
  for (let row = 0; ; ) {
    const found = slice.all(row, last) as [number, Buffer | null][];
    for (const [at, packed] of found) if (packed !== null) arena.set(at, packed);
    if (found.length < READ_AT_ONCE) return;
    row = found.at(-1)![0];
    await nextTurn();
  }
}

/** Loads a saved arena; null if there is no intact one. */
export async function loadProfiles(snapshots: Snapshots, state: IndexState): Promise<ProfileArena | null> {
  const snapshot = snapshots.find("profiles", FORMAT, state).at(-1);
  if (snapshot === undefined) return null;
  const shared = await snapshots.readShared(snapshot, async ({ facts, read }) => {
    const arena = createProfileArena();
    const count = facts.parts.profiles!;
    const rows = new Uint32Array(count);
    const lengths = new Uint32Array(count);
    if (!read(new Uint8Array(rows.buffer)) || !read(new Uint8Array(lengths.buffer))) return null;
    for (let from = 0; from < count; from += BATCH) {
      const end = Math.min(count, from + BATCH);
      const bytes = new Uint8Array(lengths.subarray(from, end).reduce((sum, length) => sum + length, 0));
      if (!read(bytes)) return null;
      let at = 0;
      for (let entry = from; entry < end; entry += 1) {
        // A profile of zeros belongs to a row that was removed while the file was written.
        if (bytes[at] !== 0) arena.setIntact(rows[entry]!, bytes.subarray(at, at + lengths[entry]!));
        at += lengths[entry]!;
      }
      await nextTurn();
    }
    return arena.share();
  });
  return shared && createProfileArena(MAX_BYTES, shared);
}
