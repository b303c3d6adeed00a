/** Slots of one block; blocks are made as the table grows, so nothing is ever copied. */
export const BLOCK = 4_096;

/** How vectors are held: as they are while there are few, as bytes with a common scale each once there are many. */
export type Precision = "float" | "byte";

/** What is held of the cells in `BLOCK` slots, in one buffer, so that a block is written and read as it is. */
export interface CellBlock {
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
