import { writeFileSync } from "node:fs";
import { subwords } from "../../python/subwords.js";
import { createLexicalIndex, type LexicalIndex, loadLexicalIndex } from "../lexical-index.js";
import type { Database } from "./database.js";
import type { IndexState } from "./resident.js";
import { findSnapshot, readSnapshot, replaceSnapshot } from "./snapshots.js";

/** The words of all cells, by row: derived from the database, and saved so that a large index need not be read again. */
export interface WordIndex {
  /** Takes in what was committed since the last call. A row that was removed may still be found: the caller knows. */
  follow(state: IndexState): LexicalIndex;
  save(generation: string): void;
}

/** Small indexes are read in less time than it takes to keep a file of them. */
const WORTH_SAVING = 2_000;
const NAME = "words";

interface Loaded {
  readonly generation: string;
  readonly index: LexicalIndex;
  lastRow: number;
  savedRow: number;
  lastRemoval: number;
  changes: number;
}

export function createWordIndex(database: Database, folder: string): WordIndex {
  const added = database.prepare<[number]>("select row, code from cells where row > ? order by row").raw();
  const removed = database.prepare<[number]>("select seq, row from removed where seq > ? order by seq").raw();
  let loaded: Loaded | null = null;

  return {
    follow({ generation, changes }) {
      if (loaded !== null && loaded.generation === generation && loaded.changes === changes) return loaded.index;
      if (loaded === null || loaded.generation !== generation) loaded = load(folder, generation);
      for (const each of added.iterate(loaded.lastRow)) {
        const [row, code] = each as [number, Buffer];
        loaded.index.add(row, subwords(code.toString()));
        loaded.lastRow = row;
      }
      for (const each of removed.iterate(loaded.lastRemoval)) {
        const [seq, row] = each as [number, number];
        loaded.index.remove(row);
        loaded.lastRemoval = seq;
      }
      loaded.changes = changes;
      return loaded.index;
    },
    save(generation) {
      const { index, lastRow, savedRow } = loaded!;
      if (index.size < WORTH_SAVING || lastRow === savedRow) return;
      replaceSnapshot(folder, NAME, generation, lastRow, (path) => writeFileSync(path, index.save()));
      loaded!.savedRow = lastRow;
    },
  };
}

function load(folder: string, generation: string): Loaded {
  const snapshot = findSnapshot(folder, NAME, generation);
  const index = snapshot === null ? null : loadLexicalIndex(readSnapshot(folder, snapshot));
  if (snapshot === null || index === null) {
    return { generation, index: createLexicalIndex(), lastRow: 0, savedRow: 0, lastRemoval: 0, changes: -1 };
  }
  return { generation, index, lastRow: snapshot.row, savedRow: snapshot.row, lastRemoval: 0, changes: -1 };
}
