/** Finds the slot of a cell by its id, without an object per cell: an open-addressing table of slots. */
export interface IdIndex {
  /** -1 for an id that is not there. */
  find(id: Uint8Array): number;
  add(slot: number): void;
  remove(slot: number): void;
}

const SMALLEST = 1_024;

/** `holds` tells whether a slot has this id, `hashOf` a slot's hash: ids are hashes, so that four bytes of one do. */
export function createIdIndex(
  holds: (slot: number, id: Uint8Array) => boolean,
  hashOf: (slot: number) => number,
): IdIndex {
  /** Slot + 1, or 0 where nothing is. */
  let table = new Int32Array(SMALLEST);
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
      const mask = table.length - 1;
      for (let at = hash(id) & mask; table[at] !== 0; at = (at + 1) & mask) {
        if (holds(table[at]! - 1, id)) return table[at]! - 1;
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

export function hash(id: Uint8Array): number {
  return id[0]! | (id[1]! << 8) | (id[2]! << 16) | (id[3]! << 24);
}
