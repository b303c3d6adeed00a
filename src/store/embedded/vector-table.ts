/** Rows of one block of vectors; blocks are made as the table grows, so nothing is ever copied. */
const BLOCK = 4_096;

/**
 * The vectors of an index in memory, by slot. Slots are given in ascending order of the database's rows and never reused; a
 * removed cell leaves an empty slot.
 */
export interface VectorTable {
  readonly dimensions: number;
  /** Slots given so far, removed ones included. */
  readonly slots: number;
  /** Cells that are there. */
  readonly size: number;
  add(cell: { row: number; id: string; bits: number; primary: number; vector: Float32Array }): void;
  remove(row: number): void;
  /** -1 for a row that is not there. */
  slotOf(row: number): number;
  /** -1 for a cell that is not there. */
  slotOfId(id: string): number;
  rowOf(slot: number): number;
  idOf(slot: number): string;
  isAlive(slot: number): boolean;
  bitsOf(slot: number): number;
  primaryOf(slot: number): number;
  vectorOf(slot: number): Float32Array;
  /** How many cells have labels that pass. */
  count(passes: (bits: number, primary: number) => boolean): number;
  /** The filled part of each block, with the slot of its first row. */
  blocks(fromSlot?: number): { firstSlot: number; rows: number; data: Float32Array }[];
}

export function createVectorTable(dimensions: number): VectorTable {
  const blocks: Float32Array[] = [];
  const rows: number[] = [];
  const ids: string[] = [];
  const slots = new Map<string, number>();
  const bits: number[] = [];
  const primaries: number[] = [];
  /** Cells by their labels: there are far fewer combinations of labels than cells. */
  const byLabels = new Map<string, { bits: number; primary: number; cells: number }>();
  let size = 0;
  const tally = (bits: number, primary: number, change: number) => {
    const key = `${bits} ${primary}`;
    byLabels.set(key, { bits, primary, cells: (byLabels.get(key)?.cells ?? 0) + change });
  };

  const slotOf = (row: number) => {
    // Rows ascend one by one or faster, and where none is missing both ends meet at once.
    let low = Math.max(0, rows.length - 1 - (rows.at(-1)! - row));
    let high = Math.min(rows.length - 1, row - rows[0]!);
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (rows[middle] === row) return ids[middle] === "" ? -1 : middle;
      if (rows[middle]! < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  };
  const vectorOf = (slot: number) => {
    const start = (slot % BLOCK) * dimensions;
    return blocks[Math.floor(slot / BLOCK)]!.subarray(start, start + dimensions);
  };

  return {
    dimensions,
    get slots() {
      return rows.length;
    },
    get size() {
      return size;
    },
    add(cell) {
      const slot = rows.length;
      if (slot % BLOCK === 0) blocks.push(new Float32Array(BLOCK * dimensions));
      rows.push(cell.row);
      ids.push(cell.id);
      slots.set(cell.id, slot);
      bits.push(cell.bits);
      primaries.push(cell.primary);
      vectorOf(slot).set(cell.vector);
      size += 1;
      tally(cell.bits, cell.primary, 1);
    },
    remove(row) {
      const slot = slotOf(row);
      if (slot === -1) return;
      slots.delete(ids[slot]!);
      ids[slot] = "";
      vectorOf(slot).fill(0);
      size -= 1;
      tally(bits[slot]!, primaries[slot]!, -1);
    },
    slotOf,
    slotOfId: (id) => slots.get(id) ?? -1,
    rowOf: (slot) => rows[slot]!,
    idOf: (slot) => ids[slot]!,
    isAlive: (slot) => ids[slot] !== "",
    bitsOf: (slot) => bits[slot]!,
    primaryOf: (slot) => primaries[slot]!,
    vectorOf,
    count: (passes) =>
      [...byLabels.values()].reduce((sum, { bits, primary, cells }) => (passes(bits, primary) ? sum + cells : sum), 0),
    blocks(fromSlot = 0) {
      return blocks.slice(Math.floor(fromSlot / BLOCK)).map((block, place) => {
        const start = (Math.floor(fromSlot / BLOCK) + place) * BLOCK;
        const firstSlot = Math.max(start, fromSlot);
        const end = Math.min(start + BLOCK, rows.length);
        const data = block.subarray((firstSlot - start) * dimensions, (end - start) * dimensions);
        return { firstSlot, rows: end - firstSlot, data };
      });
    },
  };
}
