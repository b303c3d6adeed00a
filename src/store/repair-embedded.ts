import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { type Database, openDamaged } from "./embedded/database.js";
import { readDamaged, unrecoverable, withDiskErrors } from "./embedded/disk-errors.js";
import { createLabelCodec } from "./embedded/label-bits.js";
import { takeWriterLock, type Writer } from "./embedded/writer-lock.js";
import { createEmbeddedStore } from "./embedded.js";
import { checksum, readVector } from "./stored-bytes.js";
import type { CellPosition, IndexIdentity, NewCell, Notebook } from "./vector-store.js";

/** The result of a repair: recovered and lost data. */
interface RepairReport {
  readonly notebooks: number;
  readonly cells: number;
  /** Notebooks that lost a cell, by source and name; indexing them again restores it. */
  readonly incomplete: readonly { readonly source: string; readonly name: string }[];
  /** Rows of notebooks that could not be read at all. */
  readonly lost: number;
  /** Folder to which the damaged index was moved. */
  readonly kept: string;
}

const BATCH = 200;

/**
 * Builds a new index from the intact records of a damaged one and replaces it. The damaged index is kept in another
 * folder. `identity` is used if the index's own identity cannot be read.
 */
export async function repairIndex(folder: string, identity: IndexIdentity, writer: Writer): Promise<RepairReport> {
  const fresh = freePath(`${folder}.repaired`);
  const database = withDiskErrors(folder, () => openDamaged(folder));
  const lock = withDiskErrors(folder, () => takeWriterLock(folder, writer));
  let report: Omit<RepairReport, "kept">;
  try {
    const salvage = readDamaged(folder, () => createSalvage(database, identity));
    const store = createEmbeddedStore({ folder: fresh, identity: salvage.identity, writer, hold: "session" });
    try {
      let unread = 0;
      const incomplete: { source: string; name: string }[] = [];
      let batch: Salvaged[] = [];
      const flush = async () => {
        const cells = new Map(batch.flatMap(({ cells }) => cells.map((cell) => [cell.id, cell] as const)));
        await store.write(batch.map(toNotebook), async (ids) => ids.flatMap((id) => cells.get(id) ?? []));
        batch = [];
      };
      for (const salvaged of salvage.notebooks()) {
        if (salvaged === null) unread += 1;
        else batch.push(salvaged);
        if (salvaged?.isWhole === false) incomplete.push({ source: salvaged.source, name: salvaged.name });
        if (batch.length === BATCH) await flush();
      }
      await flush();
      await store.settle();
      const { cells, notebooks } = await store.counts();
      if (notebooks === 0 && unread > 0) throw unrecoverable(folder, `none of ${unread} notebooks can be read`);
      report = { notebooks, cells, incomplete, lost: unread };
    } finally {
      await store.close();
    }
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  } finally {
    database.close();
    lock.release();
  }
  const kept = freePath(`${folder}.damaged`);
  renameSync(folder, kept);
  renameSync(fresh, folder);
  return { ...report, kept };
}

/** A version for a notebook that lost a cell. No content has it, so indexing the notebook again does not skip it. */
function toNotebook({ cells: _, isWhole, ...notebook }: Salvaged) {
  const version = isWhole
    ? notebook.version
    : createHash("sha256").update(`incomplete ${notebook.version}`).digest("hex");
  return { ...notebook, version, cells: notebook.positions };
}

/** A path that does not exist yet. */
function freePath(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}-${number}`;
    if (!existsSync(name)) return name;
  }
}

/** The readable part of a notebook. */
interface Salvaged extends Omit<Notebook, "cells"> {
  readonly positions: readonly CellPosition[];
  readonly cells: readonly NewCell[];
  /** Whether no cell of the notebook was lost. */
  readonly isWhole: boolean;
}

type NotebookFields = [
  id: Buffer,
  source: Buffer,
  name: Buffer,
  version: Buffer,
  skipped: number,
  cells: number,
  facts: Buffer,
];
type CellFields = [
  id: Buffer,
  code: Buffer,
  clean: Buffer,
  labels: number,
  primary: number,
  checksum: number,
  vector: Buffer,
];

/** Reads a damaged database row by row, and skips corrupt records. */
function createSalvage(database: Database, fallback: IndexIdentity) {
  const identity = valueOrNull(() => readIdentity(database)) ?? fallback;
  const codec = createLabelCodec(identity.labels);
  const notebookAt = database
    .prepare<[number]>(
      `select cast(id as blob), cast(source as blob), cast(name as blob), cast(version as blob), cast(skipped as integer),
        cast(cells as integer), cast(facts as blob) from notebooks where row = ?`,
    )
    .raw();
  const positionsOf = database
    .prepare<[number]>("select cast(cell_index as integer), cast(cell as integer) from positions where notebook = ?")
    .raw();
  const cellAt = database
    .prepare<[number]>(
      `select cast(c.id as blob), cast(c.code as blob), cast(c.clean as blob), cast(c.labels as integer),
        cast(c.primary_label as integer), cast(c.checksum as integer), cast(v.vector as blob)
        from cells c join vectors v on v.row = c.row where c.row = ?`,
    )
    .raw();

  const readCell = (row: number): NewCell | null => {
    const [id, code, clean, bits, primary, sum, blob] = cellAt.get(row) as CellFields;
    const vector = readVector(blob, identity.dimensions);
    if (vector === null || checksum(clean, bits, primary) !== sum) return null;
    if (!createHash("sha256").update(code).digest().equals(id)) return null;
    const labels = codec.decode({ bits, primary });
    return { id: id.toString("hex"), code: code.toString(), clean: clean.toString(), ...labels, vector };
  };

  const readNotebook = (row: number): Salvaged | undefined => {
    const found = notebookAt.get(row) as NotebookFields | undefined;
    if (found === undefined) return undefined;
    const [id, source, name, version, skipped, count, facts] = found;
    // The id is a hash of source and name.
    if (
      !createHash("sha256")
        .update(Buffer.concat([source, Buffer.from("\n"), name]))
        .digest()
        .equals(id)
    )
      throw new Error("the notebook differs from what was stored");
    const held = (valueOrNull(() => positionsOf.all(row)) ?? []) as [number, number][];
    const cells = held.flatMap(([cellIndex, cell]) => {
      const read = valueOrNull(() => readCell(cell));
      return read == null ? [] : [{ cellIndex, read }];
    });
    cells.sort((one, other) => one.cellIndex - other.cellIndex);
    return {
      id: id.toString("hex"),
      source: source.toString(),
      name: name.toString(),
      version: version.toString(),
      skipped,
      facts: JSON.parse(facts.toString()) as Notebook["facts"],
      positions: cells.map(({ cellIndex, read }) => ({ cellIndex, id: read.id })),
      cells: cells.map(({ read }) => read),
      isWhole: cells.length === count,
    };
  };

  return {
    identity,
    /** Null for a notebook that cannot be read. */
    *notebooks(): Generator<Salvaged | null> {
      const last = lastRow(database);
      for (let row = 1; row <= last; row += 1) {
        const read = valueOrNull(() => readNotebook(row));
        if (read !== undefined) yield read;
      }
    },
  };
}

function readIdentity(database: Database): IndexIdentity {
  const [bytes] = database.prepare("select cast(identity as blob) from state").raw().get() as [Buffer];
  return JSON.parse(bytes.toString()) as IndexIdentity;
}

function lastRow(database: Database): number {
  const read = (sql: string) => valueOrNull(() => (database.prepare(sql).raw().get() as [number])[0]);
  return (
    read("select seq from sqlite_sequence where name = 'notebooks'") ?? read("select max(row) from notebooks") ?? 0
  );
}

/** The result of a read; null if it throws. */
function valueOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** The result of a full check of the index. */
export interface Examination {
  readonly notebooks: number;
  /** Notebooks with a damaged cell, by source and name. */
  readonly incomplete: readonly { readonly source: string; readonly name: string }[];
  /** Notebooks that cannot be read at all. */
  readonly lost: number;
}

/**
 * Reads and checks every notebook and cell in one consistent snapshot, even while other processes write. Changes
 * nothing.
 */
export function examineIndex(
  folder: string,
  identity: IndexIdentity,
  onNotebook: (done: number) => void = () => {},
): Examination {
  const database = withDiskErrors(folder, () => openDamaged(folder));
  try {
    return readDamaged(folder, () => {
      database.exec("begin");
      const incomplete: { source: string; name: string }[] = [];
      let notebooks = 0;
      let lost = 0;
      for (const read of createSalvage(database, identity).notebooks()) {
        notebooks += 1;
        if (read === null) lost += 1;
        else if (!read.isWhole) incomplete.push({ source: read.source, name: read.name });
        onNotebook(notebooks);
      }
      // A closed connection keeps its transaction until its statements are collected, and the writer would wait for it.
      database.exec("commit");
      return { notebooks, incomplete, lost };
    });
  } finally {
    database.close();
  }
}
