/** Numbers hashes from 0. Open addressing in flat arrays: looking up misses, which most words are, costs one read. */
export interface WordTable {
  readonly size: number;
  /** The number of a hash, or -1. */
  find(hash: number): number;
}

export function createWordTable(hashes: Iterable<number>): WordTable {
  const distinct = [...new Set(hashes)];
  // At most a quarter full, so that a miss seldom meets a neighbour.
  const mask = 2 ** Math.ceil(Math.log2(distinct.length * 4 + 4)) - 1;
  // Hashes are never 0, which marks a free slot.
  const keys = new Int32Array(mask + 1);
  const slots = new Int16Array(mask + 1);
  for (const [slot, hash] of distinct.entries()) {
    let at = hash & mask;
    while (keys[at] !== 0) at = (at + 1) & mask;
    keys[at] = hash;
    slots[at] = slot;
  }
  return {
    size: distinct.length,
    find(hash) {
      for (let at = hash & mask; ; at = (at + 1) & mask) {
        const key = keys[at];
        if (key === hash) return slots[at]!;
        if (key === 0) return -1;
      }
    },
  };
}
