import type { Hit, LabelFilter } from "../vector-store.js";
import { type AnnIndex, createAnnIndex } from "./ann-index.js";
import type { Database } from "./database.js";
import type { LabelCodec } from "./label-bits.js";
import { findNearest } from "./nearest.js";
import { createVectorTable, type VectorTable } from "./vector-table.js";
import { createWordIndex } from "./word-index.js";

/** What a search needs in memory. It follows the database: rows that any process commits are there for the next search. */
export interface Resident {
  search(generation: string, query: Float32Array, k: number, filter: LabelFilter | undefined): Hit[];
  /** The best cells by BM25 over the words of their raw code. */
  lexical(generation: string, words: ReadonlyMap<string, number>, k: number, filter: LabelFilter | undefined): Hit[];
  /** Copies, one per known id. */
  vectors(generation: string, ids: readonly string[]): Map<string, Float32Array>;
  /** Brings the graph up to date and saves it, so that the next process opens quickly. Gives way to other work now and then. */
  settle(generation: string): Promise<void>;
  /** Stops the work in the background. */
  stop(): void;
}

export function createResident(
  database: Database,
  folder: string,
  dimensions: number,
  codec: LabelCodec,
  exactBelow: number,
): Resident {
  const added = database
    .prepare<[number]>("select row, id, labels, primary_label, vector from cells where row > ? order by row")
    .raw();
  const removed = database.prepare<[number]>("select seq, row from removed where seq > ? order by seq").raw();
  let loaded: { generation: string; table: VectorTable; ann: AnnIndex; lastRow: number; lastRemoval: number } | null =
    null;
  const count = database.prepare<[]>("select count(*) from cells").raw();
  const wordIndex = createWordIndex(database, folder);
  let background: NodeJS.Immediate | null = null;

  const follow = (generation: string) => {
    const fresh = loaded === null || loaded.generation !== generation;
    if (loaded === null || fresh) {
      const table = createVectorTable(dimensions);
      loaded = { generation, table, ann: createAnnIndex(dimensions), lastRow: 0, lastRemoval: 0 };
    }
    const { table, ann } = loaded;
    for (const each of added.iterate(loaded.lastRow)) {
      const [row, id, bits, primary, blob] = each as [number, string, number, number, Buffer];
      table.add({ row, id, bits, primary, vector: readVector(blob, dimensions) });
      loaded.lastRow = row;
    }
    for (const each of removed.iterate(loaded.lastRemoval)) {
      const [seq, row] = each as [number, number];
      table.remove(row);
      loaded.lastRemoval = seq;
    }
    if (fresh && table.size >= exactBelow) ann.load(folder, generation, table);
    return loaded;
  };

  const growLater = (table: VectorTable, ann: AnnIndex) => {
    background ??= setImmediate(() => {
      background = null;
      if (ann.grow(table)) growLater(table, ann);
    });
  };

  return {
    search(generation, query, k, filter) {
      const { table, ann } = follow(generation);
      if (table.size >= exactBelow) growLater(table, ann);
      return findNearest(table, table.size < exactBelow ? null : ann, query, k, codec.compile(filter));
    },
    lexical(generation, words, k, filter) {
      const { table } = follow(generation);
      const passes = codec.compile(filter);
      const accepts = (row: number) => {
        const slot = table.slotOf(row);
        return slot !== -1 && (passes === null || passes(table.bitsOf(slot), table.primaryOf(slot)));
      };
      const found = wordIndex.follow(generation).search({ words, k, accepts });
      return found.map(({ row, score }) => ({ id: table.idOf(table.slotOf(row)), score }));
    },
    vectors(generation, ids) {
      const { table } = follow(generation);
      return new Map(
        ids.flatMap((id) => {
          const slot = table.slotOfId(id);
          return slot === -1 ? [] : [[id, table.vectorOf(slot).slice()] as const];
        }),
      );
    },
    async settle(generation) {
      wordIndex.follow(generation);
      wordIndex.save(generation);
      const [rows] = count.get() as [number];
      if (rows < exactBelow) return;
      const { table, ann } = follow(generation);
      while (ann.grow(table)) await new Promise(setImmediate);
      ann.save(folder, generation);
    },
    stop() {
      if (background !== null) clearImmediate(background);
      background = null;
    },
  };
}

/** A copy: the driver's buffer need not start at a multiple of four. */
export function readVector(blob: Buffer, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  new Uint8Array(vector.buffer).set(blob);
  return vector;
}

export function writeVector(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
