import { isIn } from "./expression.js";
import type { Generation } from "./generations.js";
import type { Journal } from "./journal.js";
import { ANCHOR, CELL_FIELDS, type CellRow, toWords } from "./rows.js";
import type { Tables } from "./tables.js";

interface TrashRow {
  readonly id: string;
  readonly owner: string;
  readonly cell_id: string;
  readonly about: string;
  readonly code: string;
  readonly clean: string;
}

const FIELDS = ["id", "owner", "cell_id", "about", "code", "clean"] as const;
/** 128 cells of the largest size are 15 MB. */
const AT_ONCE = 128;

/** Cells that a collector has taken away and may have to bring back: rows of the journal that hold a whole cell. */
export function createTrash(tables: Tables, journal: Journal) {
  return {
    /** Copies cells; those that are not there are left out. */
    async fill({ cells }: Generation, owner: string, ids: readonly string[]): Promise<void> {
      const fields = [...CELL_FIELDS, "made", "vector"] as const;
      for (let from = 0; from < ids.length; from += AT_ONCE) {
        const rows = await tables.byId<CellRow>(cells, ids.slice(from, from + AT_ONCE), fields);
        await tables.upsert(
          journal.name,
          rows.map((row) => toTrash(row, owner)),
        );
      }
    },

    /** What lies in the trash, whoever put it there, a batch at a time. */
    rows: () =>
      tables.pages<TrashRow>(journal.name, isIn("kind", ["trash"]), AT_ONCE, { fields: FIELDS, level: "Strong" }),

    restore: (generation: Generation, rows: readonly TrashRow[]) =>
      tables.upsert(
        generation.cells,
        rows.map((row) => fromTrash(row, generation.words)),
      ),
  };
}

export type Trash = ReturnType<typeof createTrash>;

function toTrash({ id, primary, labels, made, vector, code, clean }: CellRow, owner: string) {
  const bytes = Buffer.from(Float32Array.from(vector).buffer).toString("base64");
  const about = JSON.stringify({ primary, labels: [...labels], made, vector: bytes });
  return { id: `trash/${owner}/${id}`, kind: "trash", owner, cell_id: id, beat: 0, about, code, clean, anchor: ANCHOR };
}

function fromTrash({ cell_id: id, about, code, clean }: TrashRow, words: boolean) {
  const { vector, ...rest } = JSON.parse(about) as Pick<CellRow, "primary" | "labels" | "made"> & { vector: string };
  const bytes = Uint8Array.from(Buffer.from(vector, "base64"));
  const row: CellRow = { id, code, clean, ...rest, vector: Array.from(new Float32Array(bytes.buffer)) };
  return words ? { ...row, words: toWords(code) } : row;
}
