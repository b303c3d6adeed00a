/** The vectors that were read last, by row: what a search found is mostly asked for again at once. */
export function createVectorCache(mostBytes: number) {
  const vectors = new Map<number, Float32Array>();
  let bytes = 0;

  return {
    /** The vectors of rows, in their order; those that are not here are read together. */
    through(
      rows: readonly number[],
      read: (missing: readonly number[]) => readonly (Float32Array | null)[],
    ): (Float32Array | null)[] {
      const missing = rows.filter((row) => !vectors.has(row));
      const found = missing.length === 0 ? [] : read(missing);
      const fresh = new Map(missing.map((row, index) => [row, found[index] ?? null]));
      const all = rows.map((row) => fresh.get(row) ?? vectors.get(row) ?? null);
      for (const [index, row] of rows.entries()) if (all[index] != null) put(row, all[index]);
      return all;
    },
    clear(): void {
      vectors.clear();
      bytes = 0;
    },
  };

  /** The map keeps the order in which they were put: the first one was asked for longest ago. */
  function put(row: number, vector: Float32Array): void {
    if (!vectors.delete(row)) bytes += vector.byteLength;
    vectors.set(row, vector);
    for (const [oldest, { byteLength }] of vectors) {
      if (bytes <= mostBytes) return;
      vectors.delete(oldest);
      bytes -= byteLength;
    }
  }
}
