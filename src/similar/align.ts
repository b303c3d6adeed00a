/** A cell of one notebook and the cell of another that it is most like; positions count code cells from 0. */
export interface Pair {
  readonly here: number;
  readonly there: number;
  /** 1 where the cells are the same, else their cosine. */
  readonly likeness: number;
}

/** Each cell once: the likest pairs first, of equal ones the earlier. */
export function matchCells(pairs: readonly Pair[]): Pair[] {
  const best = [...pairs].sort(
    (one, other) => other.likeness - one.likeness || one.here - other.here || one.there - other.there,
  );
  const [here, there] = [new Set<number>(), new Set<number>()];
  return best
    .filter((pair) => {
      if (here.has(pair.here) || there.has(pair.there)) return false;
      here.add(pair.here);
      there.add(pair.there);
      return true;
    })
    .sort((one, other) => one.here - other.here);
}

/** How many of the pairs, which are in the order of `here`, are in the order of `there` too: the longest rising run. */
export function countInOrder(pairs: readonly Pair[]): number {
  // ends[n] is the smallest position that a rising run of n + 1 pairs can end at.
  const ends: number[] = [];
  for (const { there } of pairs) {
    const place = ends.findIndex((end) => end >= there);
    if (place === -1) ends.push(there);
    else ends[place] = there;
  }
  return ends.length;
}
