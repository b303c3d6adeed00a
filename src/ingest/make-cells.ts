import { setImmediate as nextTurn } from "node:timers/promises";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import type { Cell } from "../notebook/extract.js";
import type { NewCell } from "../store/vector-store.js";
import { type PreparedCell, prepareCell, type SkipReason } from "./prepare.js";

/** A cell ready to be stored, or why it is not going to be. */
export type Made = NewCell | SkipReason;

/** Cleans, labels and embeds cells; one answer per id. */
export type MakeNewCells = (
  cells: readonly Pick<Cell, "id" | "code">[],
  signal?: AbortSignal,
) => Promise<Map<string, Made>>;

/** After so many cells other requests get their turn: a server goes on answering while it takes in a notebook. */
const CELLS_PER_TURN = 25;
const CELLS_PER_EMBEDDING = 256;

/** Makes cells on the thread that calls it. */
export function createMakeCells({
  embedder,
  labeller,
}: {
  readonly embedder: Embedder;
  readonly labeller: Labeller;
}): MakeNewCells {
  return async (cells, signal) => {
    const made = new Map<string, Made>();
    for (let from = 0; from < cells.length; from += CELLS_PER_EMBEDDING) {
      const prepared: PreparedCell[] = [];
      for (const [index, cell] of cells.slice(from, from + CELLS_PER_EMBEDDING).entries()) {
        const stored = prepareCell(cell, labeller);
        if (typeof stored === "string") made.set(cell.id, stored);
        else prepared.push(stored);
        if (index % CELLS_PER_TURN === CELLS_PER_TURN - 1) await nextTurn();
      }
      for (const [id, cell] of await embedCells(prepared, embedder)) made.set(id, cell);
      await nextTurn();
      signal?.throwIfAborted();
    }
    return made;
  };
}

/** Gives prepared cells their vectors. */
export async function embedCells(cells: readonly PreparedCell[], embedder: Embedder): Promise<Map<string, Made>> {
  const vectors = await embedder.embed(
    cells.map(({ clean }) => clean),
    "cell",
  );
  return new Map(
    cells.map((cell, index) => {
      const vector = vectors[index];
      return [cell.id, vector == null ? "no tokens" : { ...cell, vector }];
    }),
  );
}
