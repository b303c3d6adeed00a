import { cosine } from "../cosine.js";
import { loadUsearch } from "./usearch.js";
import type { VectorTable } from "./vector-table.js";

/** The slots from `fromSlot` on with the highest cosines, best first, at most `count`: a scan of everything. */
export function exactCandidates(table: VectorTable, query: Float32Array, count: number, fromSlot: number): number[] {
  const usearch = loadUsearch();
  const found: { slot: number; distance: number }[] = [];
  for (const { firstSlot, rows, data } of table.blocks(fromSlot)) {
    if (rows === 0) continue;
    if (usearch === null) {
      for (let row = 0; row < rows; row += 1) {
        found.push({ slot: firstSlot + row, distance: 1 - cosine(query, table.vectorOf(firstSlot + row)) });
      }
      continue;
    }
    const { keys, distances } = usearch.exactSearch(
      fromStart(data),
      fromStart(query),
      table.dimensions,
      Math.min(count, rows),
      "cos",
      1,
    );
    for (const [place, key] of keys.entries())
      found.push({ slot: firstSlot + Number(key), distance: distances[place]! });
  }
  return found
    .sort((a, b) => a.distance - b.distance || a.slot - b.slot)
    .slice(0, count)
    .map(({ slot }) => slot);
}

/** usearch's exact search reads from the start of the buffer, wherever the view on it starts. */
function fromStart(view: Float32Array): Float32Array {
  return view.byteOffset === 0 ? view : view.slice();
}
