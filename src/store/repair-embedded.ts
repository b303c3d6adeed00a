import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { openDamaged } from "./embedded/database.js";
import { guard, lost, readWhatIsLeft } from "./embedded/guard.js";
import { createSalvage, type Salvaged } from "./embedded/salvage.js";
import { takeWriterLock, type Writer } from "./embedded/writer-lock.js";
import { createEmbeddedStore } from "./embedded.js";
import type { IndexIdentity } from "./vector-store.js";

/** What could be read of a damaged index, and what could not. */
export interface RepairReport {
  readonly notebooks: number;
  readonly cells: number;
  /** Notebooks that lack a cell now, by source and name; indexing them again brings it back. */
  readonly incomplete: readonly { readonly source: string; readonly name: string }[];
  /** Rows of notebooks that could not be read at all. */
  readonly lost: number;
  /** Where the damaged index is kept. */
  readonly kept: string;
}

const BATCH = 200;

/**
 * Makes a new index out of everything in a damaged one that is still what was stored, and puts it in its place. `identity` is
 * used where the index does not say any more what it was made with. The damaged one is kept beside it.
 */
export async function repairIndex(folder: string, identity: IndexIdentity, writer: Writer): Promise<RepairReport> {
  const fresh = free(`${folder}.repaired`);
  const database = guard(folder, () => openDamaged(folder));
  const lock = guard(folder, () => takeWriterLock(folder, writer));
  let report: Omit<RepairReport, "kept">;
  try {
    const salvage = readWhatIsLeft(folder, () => createSalvage(database, identity));
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
      if (notebooks === 0 && unread > 0) throw lost(folder, `none of ${unread} notebooks is as it was stored`);
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
  const kept = free(`${folder}.damaged`);
  renameSync(folder, kept);
  renameSync(fresh, folder);
  return { ...report, kept };
}

/** One that lacks a cell gets a version that no content has, so that whoever indexes it again does not pass it over. */
function toNotebook({ cells: _, isWhole, ...notebook }: Salvaged) {
  const version = isWhole
    ? notebook.version
    : createHash("sha256").update(`incomplete ${notebook.version}`).digest("hex");
  return { ...notebook, version, cells: notebook.positions };
}

/** A name that nothing has yet. */
function free(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}-${number}`;
    if (!existsSync(name)) return name;
  }
}
