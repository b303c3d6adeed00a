import { setImmediate as nextTurn } from "node:timers/promises";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import { type Cell, isOverlong } from "../notebook/extract.js";
import { profileCell } from "../python/profile.js";
import { strip } from "../python/strip.js";
import { packProfile } from "../store/profile-pack.js";
import type { NewCell, Revision, StoredCell } from "../store/vector-store.js";

/** A cell ready to be stored, or the reason that it is not stored. */
export type MakeResult = NewCell | SkipReason;

/** Cleans, labels and embeds cells; returns one result per id. */
export type MakeNewCells = (
  cells: readonly Pick<Cell, "id" | "code">[],
  signal?: AbortSignal,
) => Promise<Map<string, MakeResult>>;

/** Cells per turn of the event loop, which keeps a server responsive while it ingests a notebook. */
const CELLS_PER_TURN = 25;
const CELLS_PER_EMBEDDING = 256;

/** Makes cells on the calling thread. */
export function createMakeCells({
  embedder,
  labeller,
}: {
  readonly embedder: Embedder;
  readonly labeller: Labeller;
}): MakeNewCells {
  return async (cells, signal) => {
    const results = new Map<string, MakeResult>();
    for (let from = 0; from < cells.length; from += CELLS_PER_EMBEDDING) {
      const prepared: PreparedCell[] = [];
      for (const [index, cell] of cells.slice(from, from + CELLS_PER_EMBEDDING).entries()) {
        const stored = prepareCell(cell, labeller);
        if (typeof stored === "string") results.set(cell.id, stored);
        else prepared.push(stored);
        if (index % CELLS_PER_TURN === CELLS_PER_TURN - 1) await nextTurn();
      }
      for (const [id, cell] of await embedCells(prepared, embedder)) results.set(id, cell);
      await nextTurn();
      signal?.throwIfAborted();
    }
    return results;
  };
}

/** Gives prepared cells their vectors. */
export async function embedCells(cells: readonly PreparedCell[], embedder: Embedder): Promise<Map<string, MakeResult>> {
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

/** The reason why a cell is not stored. */
export type SkipReason = "empty" | "comments only" | "too long" | "no tokens";

type PreparedCell = Omit<NewCell, "vector">;

/** The cell to store, without its vector, or the reason why it is not stored. */
export function prepareCell({ id, code }: Pick<Cell, "id" | "code">, labeller: Labeller): PreparedCell | SkipReason {
  if (isOverlong(code)) return "too long";
  const clean = strip(code).text;
  if (clean === "") return code.trim() === "" ? "empty" : "comments only";
  return { id, code, clean, ...labelStored(clean, labeller), profile: packProfile(profileCell(code)) };
}

function labelStored(clean: string, labeller: Labeller): Pick<StoredCell, "labels" | "primary"> {
  const { labels, primary } = labeller.label(clean, "cell");
  const assigned = new Set(labels.map(({ label }) => label));
  return { labels: labeller.labels.filter((label) => assigned.has(label)), primary };
}

/**
 * Makes a cell only once even if several concurrent batches contain it, since the store lacks it until the first batch
 * is written. Caches the last `max` cells.
 */
export function cacheMadeCells(make: MakeNewCells, max: number): MakeNewCells {
  const recent = new Map<string, Promise<MakeResult>>();
  return async (cells, signal) => {
    const newCells = cells.filter(({ id }) => !recent.has(id));
    const making = newCells.length === 0 ? Promise.resolve(new Map<string, MakeResult>()) : make(newCells, signal);
    for (const { id } of newCells) {
      const pending = making.then((all) => all.get(id)!);
      // Waiting callers get the failure; the next caller tries again.
      pending.catch(() => recent.delete(id));
      recent.set(id, pending);
    }
    const wanted = cells.map(({ id }) => [id, recent.get(id)!] as const);
    for (const id of recent.keys()) {
      if (recent.size <= max) break;
      recent.delete(id);
    }
    return new Map(await Promise.all(wanted.map(async ([id, made]) => [id, await made] as const)));
  };
}

/** Labels and embeds stored cells again, for `VectorStore.rewrite`. */
export function createRevise(
  { embedder, labeller }: { embedder: Embedder; labeller: Labeller },
  onRevised: (cells: number) => void = () => {},
): (cells: readonly StoredCell[]) => Promise<Revision[]> {
  return async (cells) => {
    const vectors = await embedder.embed(
      cells.map(({ clean }) => clean),
      "cell",
    );
    onRevised(cells.length);
    return cells.map(({ clean }, place) => {
      const vector = vectors[place];
      return vector == null ? null : { ...labelStored(clean, labeller), vector };
    });
  };
}
