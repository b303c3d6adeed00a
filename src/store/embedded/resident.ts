import type { Hit, LabelFilter } from "../vector-store.js";
import { type AnnIndex, createAnnIndex } from "./ann-index.js";
import type { Database } from "./database.js";
import type { LabelCodec } from "./label-bits.js";
import { findNearest } from "./nearest.js";
import { createVectorTable, type VectorTable } from "./vector-table.js";
import { createWordIndex } from "./word-index.js";

/** Changes with every commit; the generation only where everything is new. */
export interface IndexState {
  readonly generation: string;
  readonly changes: number;
}

/** What a search needs in memory. It follows the database: rows that any process commits are there for the next search. */
export interface Resident {
  search(state: IndexState, query: Float32Array, k: number, filter: LabelFilter | undefined): Hit[];
  /** The best cells by BM25 over the words of their raw code. */
  lexical(state: IndexState, words: ReadonlyMap<string, number>, k: number, filter: LabelFilter | undefined): Hit[];
  /** Copies, one per known id. */
  vectors(state: IndexState, ids: readonly string[]): Map<string, Float32Array>;
  /** Brings the graph up to date and saves it, so that the next process opens quickly. Gives way to other work now and then. */
  settle(state: IndexState): Promise<void>;
  /** Throws where it could not answer now. */
  check(state: IndexState): void;
  /** Stops the work in the background. */
  stop(): void;
}

interface Loaded {
  readonly generation: string;
  readonly table: VectorTable;
  readonly ann: AnnIndex;
  lastRow: number;
  lastRemoval: number;
  changes: number;
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
  let loaded: Loaded | null = null;
  const count = database.prepare<[]>("select count(*) from cells").raw();
  const wordIndex = createWordIndex(database, folder);
  let background: NodeJS.Immediate | null = null;

  const follow = ({ generation, changes }: IndexState) => {
    if (loaded !== null && loaded.generation === generation && loaded.changes === changes) return loaded;
    const fresh = loaded === null || loaded.generation !== generation;
    if (loaded === null || fresh) {
      const table = createVectorTable(dimensions);
      loaded = { generation, table, ann: createAnnIndex(dimensions), lastRow: 0, lastRemoval: 0, changes };
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
    loaded.changes = changes;
    return loaded;
  };

  const growLater = (table: VectorTable, ann: AnnIndex) => {
    background ??= setImmediate(() => {
      background = null;
      if (ann.grow(table)) growLater(table, ann);
    });
  };

  return {
    check: (state) => void follow(state),
    search(state, query, k, filter) {
      const { table, ann } = follow(state);
      if (table.size >= exactBelow) growLater(table, ann);
      return findNearest(table, table.size < exactBelow ? null : ann, query, k, codec.compile(filter));
    },
    lexical(state, words, k, filter) {
      const { table } = follow(state);
      const passes = codec.compile(filter);
      const accepts = (row: number) => {
        const slot = table.slotOf(row);
        return slot !== -1 && (passes === null || passes(table.bitsOf(slot), table.primaryOf(slot)));
      };
      const found = wordIndex.follow(state).search({ words, k, accepts });
      return found.map(({ row, score }) => ({ id: table.idOf(table.slotOf(row)), score }));
    },
    vectors(state, ids) {
      const { table } = follow(state);
      // One buffer for all: the system takes longer to give a hundred small ones than to fill them.
      const copies = new Float32Array(ids.length * dimensions);
      const found = new Map<string, Float32Array>();
      for (const [place, id] of ids.entries()) {
        const slot = table.slotOfId(id);
        if (slot === -1) continue;
        const copy = copies.subarray(place * dimensions, (place + 1) * dimensions);
        copy.set(table.vectorOf(slot));
        found.set(id, copy);
      }
      return found;
    },
    async settle(state) {
      wordIndex.follow(state);
      wordIndex.save(state.generation);
      const [rows] = count.get() as [number];
      if (rows < exactBelow) return;
      const { table, ann } = follow(state);
      while (ann.grow(table)) await new Promise(setImmediate);
      ann.save(folder, state.generation);
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
