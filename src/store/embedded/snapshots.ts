import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createSealedWriter, openSealed, type SnapshotFacts } from "./seal.js";
import type { IndexState } from "./state.js";

export type SnapshotName = "cells" | "graph" | "words";

export interface Snapshot {
  readonly file: string;
  readonly facts: SnapshotFacts;
}

export type SealedFile = NonNullable<ReturnType<typeof openSealed>>;

/** Derived files: `name-generation-row.snapshot` covers the rows of a generation up to `row`. */
export function createSnapshots(folder: string) {
  const list = (name: SnapshotName): readonly string[] => {
    const pattern = new RegExp(`^${name}-[0-9a-f]+-\\d+\\.snapshot$`);
    return existsSync(folder) ? readdirSync(folder).filter((file) => pattern.test(file)) : [];
  };
  const find = (name: SnapshotName, format: string, { index, generation, commits }: IndexState) =>
    list(name).flatMap((file) => {
      const sealed = file.startsWith(`${name}-${generation}-`) ? openSealed(join(folder, file)) : null;
      sealed?.close();
      const facts = sealed?.facts;
      // One that knows more commits than the database comes from before somebody put an older copy in place.
      const isOurs = facts?.format === format && facts.index === index && facts.commits <= commits;
      return isOurs ? [{ file, facts }] : [];
    });

  return {
    list,

    pathOf: (file: string): string => join(folder, file),

    /** Those of this state, by the last row that they cover. */
    find: (name: SnapshotName, format: string, state: IndexState): readonly Snapshot[] =>
      find(name, format, state).sort((a, b) => a.facts.row - b.facts.row),

    /** Has a snapshot read; null where it is not whole. Nothing of a damaged one is kept. */
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

    /** Writes a snapshot in slices, and puts it in place of the older ones: it is there in full or not at all. */
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

    /** Puts the finished part in place; all others of its name go, but those to keep. */
    replace(name: SnapshotName, facts: SnapshotFacts, keep: readonly string[] = []): string {
      const file = `${name}-${facts.generation}-${facts.row}.snapshot`;
      renameSync(this.partOf(name, facts), join(folder, file));
      for (const old of list(name)) if (old !== file && !keep.includes(old)) rmSync(join(folder, old), { force: true });
      return file;
    },

    /** What an unfinished settle left behind; call with the right to settle. */
    sweep(): void {
      for (const left of readdirSync(folder)) if (left.endsWith(".part")) rmSync(join(folder, left), { force: true });
    },

    /** Files that know more than the database does: it is an older copy, and they would be wrong once it has grown. */
    dropNewer(read: () => IndexState | null): void {
      for (const name of ["cells", "graph", "words"] as const) {
        for (const file of list(name)) {
          const sealed = openSealed(join(folder, file));
          sealed?.close();
          // Asked after the file was read: whoever writes one has committed before.
          const now = sealed === null ? null : read();
          const isNewer = now !== null && sealed?.facts.index === now.index && sealed.facts.commits > now.commits;
          if (isNewer) rmSync(join(folder, file), { force: true });
        }
      }
    },
  };
}

export type Snapshots = ReturnType<typeof createSnapshots>;
