import { setImmediate as nextTurn } from "node:timers/promises";
import type { Cell } from "../cells/extract.js";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import type { NewCell, StoredCell } from "../store/vector-store.js";
import { prepareCell } from "./prepare.js";

/** After so many cells other requests get their turn: a server goes on answering while it takes in a large notebook. */
const CELLS_PER_TURN = 25;
const CELLS_PER_EMBEDDING = 256;

/** Cleans, labels and embeds cells; null for one that cannot be stored. */
export async function makeCells(
  cells: readonly Pick<Cell, "id" | "code">[],
  { embedder, labeller }: { readonly embedder: Embedder; readonly labeller: Labeller },
  signal?: AbortSignal,
): Promise<Map<string, NewCell | null>> {
  const made = new Map<string, NewCell | null>();
  for (let from = 0; from < cells.length; from += CELLS_PER_EMBEDDING) {
    const prepared: StoredCell[] = [];
    for (const [index, cell] of cells.slice(from, from + CELLS_PER_EMBEDDING).entries()) {
      const stored = prepareCell(cell, labeller);
      if (stored === null) made.set(cell.id, null);
      else prepared.push(stored);
      if (index % CELLS_PER_TURN === CELLS_PER_TURN - 1) await nextTurn();
    }
    const vectors = await embedder.embed(
      prepared.map(({ clean }) => clean),
      "cell",
    );
    for (const [index, cell] of prepared.entries()) {
      const vector = vectors[index];
      made.set(cell.id, vector == null ? null : { ...cell, vector });
    }
    await nextTurn();
    signal?.throwIfAborted();
  }
  return made;
}
