import type { Made, MakeNewCells } from "./make-cells.js";

/**
 * Makes a cell once, though several batches on their way into the store hold it: the store does not know it before the first
 * of them is written. Remembers the last `most` cells.
 */
export function rememberCells(make: MakeNewCells, most: number): MakeNewCells {
  const recent = new Map<string, Promise<Made>>();
  return async (cells, signal) => {
    const fresh = cells.filter(({ id }) => !recent.has(id));
    const making = fresh.length === 0 ? Promise.resolve(new Map<string, Made>()) : make(fresh, signal);
    for (const { id } of fresh) {
      const made = making.then((all) => all.get(id)!);
      // A failure is told to those who wait for it, and the next one tries again.
      made.catch(() => recent.delete(id));
      recent.set(id, made);
    }
    const wanted = cells.map(({ id }) => [id, recent.get(id)!] as const);
    for (const id of recent.keys()) {
      if (recent.size <= most) break;
      recent.delete(id);
    }
    return new Map(await Promise.all(wanted.map(async ([id, made]) => [id, await made] as const)));
  };
}
