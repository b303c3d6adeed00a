import { createRowSlots } from "../row-slots.js";
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

/**
 * The cells in typed arrays, with all that a search needs. Each cell has a slot; the slot of a removed cell is reused.
 */
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
  /** Adds a saved block; only valid before any `add`. A block in shared memory is copied before its first change. */
  load(block: CellBlock): void;
  /** The slot of a row; -1 for a row that does not exist. */
  slotOf(row: number): number;
  /** The slot of a cell by its id in hex; -1 if there is no such cell. */
  slotOfId(id: string): number;
  /** The rows after `row`, in ascending order. */
  rowsAfter(row: number): number[];
  /** 0 for a free slot. */
  rowOf(slot: number): number;
  idOf(slot: number): string;
  /** Null for a free slot, and for a quantized table. */
  cellOf(slot: number): TableCell | null;
  vectorOf(slot: number): Float32Array | Int8Array;
  accepts(slot: number, passes: Passes): boolean;
  /** Number of cells whose labels pass. */
  count(passes: Passes): number;
}

/** A test on a cell's label bits and the bit of its primary label; null passes every cell. */
export type Passes = ((bits: number, primary: number) => boolean) | null;

/** `expected` is the number of cells to reserve space for. */
export function createCellTable(dimensions: number, precision: Precision, expected = 0): CellTable {
  const blocks: CellBlock[] = [];
  const free: number[] = [];
  const bySlot = createRowSlots();
  const tally = createLabelTally();
  let slots = 0;
  let size = 0;
  const blockOf = (slot: number) => blocks[Math.floor(slot / BLOCK)]!;
  const idStart = (slot: number) => BYTES * (slot % BLOCK);
  const byId = createIdIndex((slot) => blockOf(slot).ids, idStart, expected);
  const vectorOf = (slot: number) => {
    const start = (slot % BLOCK) * dimensions;
    return blockOf(slot).vectors.subarray(start, start + dimensions);
  };
  /** The block of a slot, for writing. */
  const ownBlock = (slot: number) => {
    const index = Math.floor(slot / BLOCK);
    const block = blocks[index]!;
    if (!isShared(block.bytes)) return block;
    const own = createBlock(dimensions, precision);
    own.bytes.set(block.bytes);
    blocks[index] = own;
    return own;
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
      const block = ownBlock(slot);
      const at = slot % BLOCK;
      block.rows[at] = row;
      block.labels[at] = bits;
      block.primaries[at] = primary;
      block.ids.set(id, BYTES * at);
      if (precision === "byte") quantize(vector, vectorOf(slot) as Int8Array);
      else vectorOf(slot).set(vector);
      enter(slot, row);
    },
    remove(row) {
      const slot = bySlot.get(row);
      if (slot === -1) return;
      const block = ownBlock(slot);
      const at = slot % BLOCK;
      byId.remove(slot);
      bySlot.delete(row);
      tally.change(block.labels[at]!, block.primaries[at]!, -1);
      block.rows[at] = 0;
      vectorOf(slot).fill(0);
      free.push(slot);
      size -= 1;
    },
    load(block) {
      blocks.push(block);
      for (let at = 0; at < BLOCK; at += 1, slots += 1) {
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
    idOf: (slot) => blockOf(slot).ids.toString("hex", idStart(slot), idStart(slot) + BYTES),
    vectorOf,
    cellOf(slot) {
      const { rows, labels, primaries, ids } = blockOf(slot);
      const at = slot % BLOCK;
      if (rows[at] === 0) return null;
      const vector = vectorOf(slot) as Float32Array;
      const id = new Uint8Array(ids.buffer, ids.byteOffset + idStart(slot), BYTES);
      return { row: rows[at]!, id, bits: labels[at]!, primary: primaries[at]!, vector };
    },
    accepts(slot, passes) {
      const { rows, labels, primaries } = blockOf(slot);
      const at = slot % BLOCK;
      return rows[at] !== 0 && (passes === null || passes(labels[at]!, primaries[at]!));
    },
    count: (passes) => (passes === null ? size : tally.count(passes)),
  };
}

/** Slots per block. The table grows by adding blocks, so nothing is copied. */
export const BLOCK = 4_096;

/** The precision of the vectors in memory: float32 for a small index, bytes for a large one. */
type Precision = "float" | "byte";

/** The data of `BLOCK` slots in one buffer, so that a block is written and read as a whole. */
interface CellBlock {
  readonly bytes: Uint8Array;
  /** At the start of the buffer, because usearch's exact search reads from there. */
  readonly vectors: Float32Array | Int8Array;
  /** The database's row, 0 if the slot is free. */
  readonly rows: Uint32Array;
  readonly labels: Int32Array;
  readonly ids: Buffer;
  readonly primaries: Int8Array;
}

/** `bytes` spans its whole buffer. */
export function createBlock(
  dimensions: number,
  precision: Precision,
  bytes: Uint8Array = new Uint8Array(blockSize(dimensions, precision)),
): CellBlock {
  const width = precision === "float" ? 4 : 1;
  const vectorBytes = BLOCK * dimensions * width;
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
    ids: Buffer.from(buffer, vectorBytes + 8 * BLOCK, BYTES * BLOCK),
    primaries: new Int8Array(buffer, vectorBytes + 40 * BLOCK, BLOCK),
  };
}

/** Whether other threads read the same memory. */
export function isShared(view: ArrayBufferView): boolean {
  return view.buffer instanceof SharedArrayBuffer;
}

export function blockSize(dimensions: number, precision: Precision): number {
  return BLOCK * (dimensions * (precision === "float" ? 4 : 1) + 41);
}

/** Quantizes a vector to bytes: its largest number becomes 127. Cosines of quantized vectors differ by about .002. */
export function quantize(vector: Float32Array, into: Int8Array): void {
  let largest = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const size = Math.abs(vector[at]!);
    if (size > largest) largest = size;
  }
  const scale = largest === 0 || !Number.isFinite(largest) ? 0 : 127 / largest;
  for (let at = 0; at < vector.length; at += 1) into[at] = Math.round(vector[at]! * scale);
}

/** Restores the unit vector, with the error of quantization. */
export function restore(bytes: Int8Array, into: Float32Array): void {
  let squares = 0;
  for (let at = 0; at < bytes.length; at += 1) squares += bytes[at]! * bytes[at]!;
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  for (let at = 0; at < bytes.length; at += 1) into[at] = bytes[at]! * scale;
}

/** Finds the slot of a cell by its id: an open-addressing hash table without an object per cell. */
interface IdIndex {
  /** The slot of a hex id; -1 for an unknown id or any other text. */
  find(id: string): number;
  add(slot: number): void;
  remove(slot: number): void;
}

const MIN_TABLE_SIZE = 1_024;
/** Bytes of an id. */
const BYTES = 32;

/**
 * The id of a slot is in `bytesOf(slot)`, from `startOf(slot)` on. `expected` is the number of ids to reserve space for.
 */
export function createIdIndex(
  bytesOf: (slot: number) => Uint8Array,
  startOf: (slot: number) => number,
  expected = 0,
): IdIndex {
  const hashOf = (slot: number) => hash(bytesOf(slot), startOf(slot));
  /** Slot + 1, or 0 for an empty entry. */
  let table = new Int32Array(Math.max(MIN_TABLE_SIZE, 2 ** Math.ceil(Math.log2(2 * expected + 1))));
  let size = 0;

  const put = (slot: number) => {
    const mask = table.length - 1;
    let at = hashOf(slot) & mask;
    while (table[at] !== 0) at = (at + 1) & mask;
    table[at] = slot + 1;
  };
  const grow = () => {
    const old = table;
    table = new Int32Array(old.length * 2);
    for (const entry of old) if (entry !== 0) put(entry - 1);
  };

  return {
    find(id) {
      if (id.length !== 2 * BYTES) return -1;
      const mask = table.length - 1;
      const start = byteAt(id, 0) | (byteAt(id, 1) << 8) | (byteAt(id, 2) << 16) | (byteAt(id, 3) << 24);
      for (let at = start & mask; table[at] !== 0; at = (at + 1) & mask) {
        const slot = table[at]! - 1;
        if (isWritten(bytesOf(slot), startOf(slot), id)) return slot;
      }
      return -1;
    },
    add(slot) {
      if (2 * (size + 1) > table.length) grow();
      put(slot);
      size += 1;
    },
    remove(slot) {
      const mask = table.length - 1;
      let at = hashOf(slot) & mask;
      while (table[at] !== slot + 1) {
        if (table[at] === 0) return;
        at = (at + 1) & mask;
      }
      size -= 1;
      // Later entries of the same probe sequence move up, because a gap would end a search too early.
      for (let next = (at + 1) & mask; table[next] !== 0; next = (next + 1) & mask) {
        const home = hashOf(table[next]! - 1) & mask;
        if (((next - home) & mask) < ((next - at) & mask)) continue;
        table[at] = table[next]!;
        at = next;
      }
      table[at] = 0;
    },
  };
}

/** Ids are hashes, so four bytes are hash enough. */
function hash(ids: Uint8Array, from: number): number {
  return ids[from]! | (ids[from + 1]! << 8) | (ids[from + 2]! << 16) | (ids[from + 3]! << 24);
}

/** Whether the text is the id at `from` in hex. Allocates nothing: a query looks up hundreds of ids. */
function isWritten(ids: Uint8Array, from: number, id: string): boolean {
  for (let at = 0; at < BYTES; at += 1) if (byteAt(id, at) !== ids[from + at]) return false;
  return true;
}

/** Negative if the text is no lower-case hex. */
function byteAt(id: string, at: number): number {
  const high = id.charCodeAt(2 * at);
  const low = id.charCodeAt(2 * at + 1);
  return high < 128 && low < 128 ? (DIGITS[high]! << 4) | DIGITS[low]! : -1;
}

/** The value of each hexadecimal digit by its ASCII code, -1 for other characters. */
const DIGITS = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value += 1) DIGITS[value.toString(16).charCodeAt(0)] = value;
