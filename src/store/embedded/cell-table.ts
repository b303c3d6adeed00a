import { createRowSlots } from "../row-slots.js";
import { createIdIndex } from "./id-index.js";
import { createLabelTally } from "./label-bits.js";

/** A cell to be added. */
interface TableCell {
  readonly row: number;
  /** 32 bytes. */
  readonly id: Uint8Array;
  readonly bits: number;
  readonly primary: number;
  readonly vector: Float32Array;
}

/** What a search needs of every cell, by slot, in typed arrays. The slot of a removed cell is given to the next one. */
export interface CellTable {
  readonly dimensions: number;
  readonly precision: Precision;
  /** Number of slots ever used; a scan visits all of them. */
  readonly slots: number;
  /** Number of cells. */
  readonly size: number;
  readonly blocks: readonly CellBlock[];
  add(cell: TableCell): void;
  remove(row: number): void;
  /** Loads a saved block, without the rows after `last`. Only valid on an empty table. */
  load(block: CellBlock, last: number): void;
  /** -1 for a row that does not exist. */
  slotOf(row: number): number;
  /** By the id in hex; -1 for a cell that does not exist. */
  slotOfId(id: string): number;
  /** The rows after `row`, in ascending order. */
  rowsAfter(row: number): number[];
  /** 0 for a free slot. */
  rowOf(slot: number): number;
  idOf(slot: number): string;
  /** Null for a free slot; only a table of floats can give back what it was given. */
  cellOf(slot: number): TableCell | null;
  vectorOf(slot: number): Float32Array | Int8Array;
  accepts(slot: number, passes: Passes): boolean;
  /** How many cells have labels that pass. */
  count(passes: Passes): number;
}

/** A test on a cell's label bits and the bit of its primary label; null lets everything through. */
export type Passes = ((bits: number, primary: number) => boolean) | null;

/** `expected` is how many cells it will soon hold. */
export function createCellTable(dimensions: number, precision: Precision, expected = 0): CellTable {
  const blocks: CellBlock[] = [];
  const free: number[] = [];
  const bySlot = createRowSlots();
  const tally = createLabelTally();
  let slots = 0;
  let size = 0;
  const blockOf = (slot: number) => blocks[Math.floor(slot / BLOCK)]!;
  const idBytes = (slot: number) => blockOf(slot).ids.subarray(32 * (slot % BLOCK), 32 * (slot % BLOCK) + 32);
  const byId = createIdIndex(idBytes, expected);
  const vectorOf = (slot: number) => {
    const start = (slot % BLOCK) * dimensions;
    return blockOf(slot).vectors.subarray(start, start + dimensions);
  };
  const enter = (slot: number, row: number) => {
    const { labels, primaries } = blockOf(slot);
    bySlot.set(row, slot);
    byId.add(slot);
    tally.change(labels[slot % BLOCK]!, primaries[slot % BLOCK]!, 1);
    size += 1;
  };

  return {
    dimensions,
    precision,
    blocks,
    get slots() {
      return slots;
    },
    get size() {
      return size;
    },
    add({ row, id, bits, primary, vector }) {
      const slot = free.pop() ?? slots++;
      if (Math.floor(slot / BLOCK) === blocks.length) blocks.push(createBlock(dimensions, precision));
      const block = blockOf(slot);
      const at = slot % BLOCK;
      block.rows[at] = row;
      block.labels[at] = bits;
      block.primaries[at] = primary;
      block.ids.set(id, 32 * at);
      if (precision === "byte") quantize(vector, vectorOf(slot) as Int8Array);
      else vectorOf(slot).set(vector);
      enter(slot, row);
    },
    remove(row) {
      const slot = bySlot.get(row);
      if (slot === -1) return;
      const block = blockOf(slot);
      const at = slot % BLOCK;
      byId.remove(slot);
      bySlot.delete(row);
      tally.change(block.labels[at]!, block.primaries[at]!, -1);
      block.rows[at] = 0;
      vectorOf(slot).fill(0);
      free.push(slot);
      size -= 1;
    },
    load(block, last) {
      blocks.push(block);
      for (let at = 0; at < BLOCK; at += 1, slots += 1) {
        if (block.rows[at]! > last) block.rows[at] = 0;
        if (block.rows[at] === 0) free.push(slots);
        else enter(slots, block.rows[at]!);
      }
    },
    rowsAfter(row) {
      const found: number[] = [];
      for (const { rows } of blocks) for (const each of rows) if (each > row) found.push(each);
      return found.sort((a, b) => a - b);
    },
    slotOf: bySlot.get,
    slotOfId: byId.find,
    rowOf: (slot) => blockOf(slot).rows[slot % BLOCK]!,
    idOf(slot) {
      const { buffer, byteOffset } = blockOf(slot).ids;
      return Buffer.from(buffer, byteOffset + 32 * (slot % BLOCK), 32).toString("hex");
    },
    vectorOf,
    cellOf(slot) {
      const { rows, labels, primaries } = blockOf(slot);
      const at = slot % BLOCK;
      if (rows[at] === 0) return null;
      const vector = vectorOf(slot) as Float32Array;
      return { row: rows[at]!, id: idBytes(slot), bits: labels[at]!, primary: primaries[at]!, vector };
    },
    accepts(slot, passes) {
      const { rows, labels, primaries } = blockOf(slot);
      const at = slot % BLOCK;
      return rows[at] !== 0 && (passes === null || passes(labels[at]!, primaries[at]!));
    },
    count: (passes) => (passes === null ? size : tally.count(passes)),
  };
}

/** Slots of one block; blocks are made as the table grows, so nothing is ever copied. */
export const BLOCK = 4_096;

/** How vectors are held: float32 while there are few, quantized to bytes once there are many. */
type Precision = "float" | "byte";

/** The data of `BLOCK` slots in one buffer, so that a block is written and read as a whole. */
interface CellBlock {
  readonly bytes: Uint8Array;
  /** First in the buffer: usearch's exact search reads from its start. */
  readonly vectors: Float32Array | Int8Array;
  /** The database's row, 0 where the slot is free. */
  readonly rows: Uint32Array;
  readonly labels: Int32Array;
  readonly ids: Uint8Array;
  readonly primaries: Int8Array;
}

export function createBlock(dimensions: number, precision: Precision): CellBlock {
  const width = precision === "float" ? 4 : 1;
  const vectorBytes = BLOCK * dimensions * width;
  const bytes = new Uint8Array(blockSize(dimensions, precision));
  const { buffer } = bytes;
  const vectors =
    precision === "float"
      ? new Float32Array(buffer, 0, BLOCK * dimensions)
      : new Int8Array(buffer, 0, BLOCK * dimensions);
  return {
    bytes,
    vectors,
    rows: new Uint32Array(buffer, vectorBytes, BLOCK),
    labels: new Int32Array(buffer, vectorBytes + 4 * BLOCK, BLOCK),
    ids: new Uint8Array(buffer, vectorBytes + 8 * BLOCK, 32 * BLOCK),
    primaries: new Int8Array(buffer, vectorBytes + 40 * BLOCK, BLOCK),
  };
}

export function blockSize(dimensions: number, precision: Precision): number {
  return BLOCK * (dimensions * (precision === "float" ? 4 : 1) + 41);
}

/** A vector as bytes: its largest number becomes 127. Cosines of such vectors are near those of the vectors (about .002). */
export function quantize(vector: Float32Array, into: Int8Array): void {
  let largest = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const size = Math.abs(vector[at]!);
    if (size > largest) largest = size;
  }
  const scale = largest === 0 || !Number.isFinite(largest) ? 0 : 127 / largest;
  for (let at = 0; at < vector.length; at += 1) into[at] = Math.round(vector[at]! * scale);
}

/** The unit vector that was quantized. */
export function restore(bytes: Int8Array, into: Float32Array): void {
  let squares = 0;
  for (let at = 0; at < bytes.length; at += 1) squares += bytes[at]! * bytes[at]!;
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  for (let at = 0; at < bytes.length; at += 1) into[at] = bytes[at]! * scale;
}
