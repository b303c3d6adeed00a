import { setImmediate as nextTurn } from "node:timers/promises";
import { BLOCK, createBlock } from "./cell-block.js";
import { type CellTable, createCellTable } from "./cell-table.js";
import type { Cursor } from "./changes.js";
import type { SnapshotFacts } from "./seal.js";
import type { Snapshots } from "./snapshots.js";
import type { IndexState } from "./state.js";

/** Changes with the layout of a block. */
export const CELLS_FORMAT = "cells-1";

export interface CellsInMemory {
  readonly table: CellTable;
  readonly cursor: Cursor;
}

/** The cells of a saved table as far as it goes; null where there is none that is whole. */
export async function loadCells(
  snapshots: Snapshots,
  state: IndexState,
  dimensions: number,
): Promise<CellsInMemory | null> {
  const snapshot = snapshots.find("cells", CELLS_FORMAT, state).at(-1);
  if (snapshot === undefined) return null;
  return snapshots.read(snapshot, async (sealed) => {
    const { blocks, dimensions: saved } = sealed.facts.parts;
    if (saved !== dimensions) return null;
    const table = createCellTable(dimensions, "byte", blocks! * BLOCK);
    for (let index = 0; index < blocks!; index += 1) {
      const block = createBlock(dimensions, "byte");
      if (!sealed.read(block.bytes)) return null;
      table.load(block, sealed.facts.row);
      await nextTurn();
    }
    const { row, removal, commits } = sealed.facts;
    return { table, cursor: { row, removal, commits } };
  });
}

/** Saves the table block by block. What changes meanwhile does no harm: rows behind the cursor are not taken over on loading. */
export async function saveCells(
  snapshots: Snapshots,
  { index, generation }: IndexState,
  { table, cursor }: CellsInMemory,
): Promise<void> {
  const facts: SnapshotFacts = {
    format: CELLS_FORMAT,
    index,
    generation,
    commits: cursor.commits,
    row: cursor.row,
    removal: cursor.removal ?? 0,
    parts: { blocks: table.blocks.length, dimensions: table.dimensions },
  };
  await snapshots.write(
    "cells",
    facts,
    table.blocks.slice(0, facts.parts.blocks).map(({ bytes }) => bytes),
  );
}
