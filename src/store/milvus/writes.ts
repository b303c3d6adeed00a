import type { NewCell, Notebook } from "../vector-store.js";
import type { Generation } from "./generations.js";
import { HEAD_INDEX, PLACE_FIELDS, type PlaceRow, toCellRow, toHeadRow, toPlaceRows } from "./rows.js";
import type { Tables } from "./tables.js";

const NOTEBOOKS_AT_ONCE = 256;
const VALUES_AT_ONCE = 1_024;

/**
 * Milvus has no transactions, so each step leaves a state that repeating the write repairs: first what is new, then a
 * head marked as incomplete where something old has to go, then the orphans, then the places that led to them, and at
 * last the complete head. There must be one writer at a time: another one could take up a cell while it is dropped.
 */
export function createWrites(tables: Tables) {
  return {
    async put(generation: Generation, notebooks: readonly Notebook[], made: readonly NewCell[]): Promise<void> {
      await tables.upsert(generation.cells, made.map(toCellRow));
      for (let from = 0; from < notebooks.length; from += NOTEBOOKS_AT_ONCE) {
        await putNotebooks(generation, notebooks.slice(from, from + NOTEBOOKS_AT_ONCE));
      }
    },

    /** Whether the notebook was there. */
    async remove(generation: Generation, id: string): Promise<boolean> {
      const rows = await placesOf(generation, [id]);
      const head = rows.find(({ cell_index }) => cell_index === HEAD_INDEX);
      if (head !== undefined) {
        const { source, name, version } = head;
        const notebook: Notebook = { id, source, name, version, skipped: 0, cells: [], facts: {} };
        await tables.upsert(generation.occurrences, [toHeadRow(notebook, false)]);
      }
      await dropPlaces(
        generation,
        rows.filter(({ cell_index }) => cell_index !== HEAD_INDEX),
      );
      if (head !== undefined) await tables.remove(generation.occurrences, [head.id]);
      return head !== undefined;
    },
  };

  async function putNotebooks(generation: Generation, notebooks: readonly Notebook[]): Promise<void> {
    const rows = notebooks.flatMap(toPlaceRows);
    const old = await placesOf(
      generation,
      notebooks.map(({ id }) => id),
    );
    const cellAt = new Map(old.map(({ id, cell_id }) => [id, cell_id]));
    await tables.upsert(
      generation.occurrences,
      rows.filter(({ id, cell_id }) => cellAt.get(id) !== cell_id),
    );
    const kept = new Set(rows.map(({ id }) => id));
    const stale = old.filter(({ id, cell_index }) => cell_index !== HEAD_INDEX && !kept.has(id));
    if (stale.length > 0) {
      const touched = new Set(stale.map(({ notebook }) => notebook));
      const heads = notebooks.filter(({ id }) => touched.has(id)).map((notebook) => toHeadRow(notebook, false));
      await tables.upsert(generation.occurrences, heads);
      await dropPlaces(generation, stale);
    }
    await tables.upsert(
      generation.occurrences,
      notebooks.map((notebook) => toHeadRow(notebook, true)),
    );
  }

  function placesOf({ occurrences }: Generation, notebooks: readonly string[]): Promise<PlaceRow[]> {
    return tables.among<PlaceRow>(occurrences, "notebook", notebooks, VALUES_AT_ONCE, {
      fields: PLACE_FIELDS,
      level: "Strong",
    });
  }

  async function dropPlaces({ cells, occurrences }: Generation, places: readonly PlaceRow[]): Promise<void> {
    const dropped = new Set(places.map(({ id }) => id));
    const orphans = new Set(places.map(({ cell_id }) => cell_id));
    const fields = ["id", "cell_id"] as const;
    const holding = await tables.among<Pick<PlaceRow, "id" | "cell_id">>(
      occurrences,
      "cell_id",
      orphans,
      VALUES_AT_ONCE,
      {
        fields,
        level: "Strong",
      },
    );
    for (const { id, cell_id } of holding) if (!dropped.has(id)) orphans.delete(cell_id);
    await tables.remove(cells, [...orphans]);
    await tables.remove(occurrences, [...dropped]);
  }
}
