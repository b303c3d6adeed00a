/** Finds the slot of a cell by its id, without an object per cell: an open-addressing table of slots. */
interface IdIndex {
  /** By the hex id; -1 for an unknown id and for any other text. */
  find(id: string): number;
  add(slot: number): void;
  remove(slot: number): void;
}

const MIN_TABLE_SIZE = 1_024;
const BYTES = 32;

/** `bytesOf` returns the id of a slot; `expected` is the number of ids to reserve space for. */
export function createIdIndex(bytesOf: (slot: number) => Uint8Array, expected = 0): IdIndex {
  const hashOf = (slot: number) => hash(bytesOf(slot));
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
        if (isWritten(bytesOf(table[at]! - 1), id)) return table[at]! - 1;
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
      // Whatever probed past this entry moves up, so that no gap ends a later search too early.
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
function hash(id: Uint8Array): number {
  return id[0]! | (id[1]! << 8) | (id[2]! << 16) | (id[3]! << 24);
}

/** Whether the text is these bytes in hex. Allocates nothing: a query looks up hundreds of ids. */
function isWritten(bytes: Uint8Array, id: string): boolean {
  for (let at = 0; at < BYTES; at += 1) if (byteAt(id, at) !== bytes[at]) return false;
  return true;
}

/** Negative if the text is no lower-case hex. */
function byteAt(id: string, at: number): number {
  return (digit(id.charCodeAt(2 * at)) << 4) | digit(id.charCodeAt(2 * at + 1));
}

function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}
