import { cellId } from "../notebook/extract.js";
import { type CellProfile, profileCell } from "../python/profile.js";

/** Cells before that are compared line by line; those further up only as a whole. */
const MOST_COMPARED = 20;

/** Whether a stored cell is none of those before; of the nearest also none that differs in comments and layout alone. */
export function createNoveltyCheck(before: readonly string[] = []): (id: string, cell: CellProfile) => boolean {
  if (before.length === 0) return () => true;
  const ids = new Set(before.map(cellId));
  const known = before.slice(-MOST_COMPARED).map((cell) => profileCell(cell).lines);
  return (id, { lines }) => !ids.has(id) && !known.some((other) => areEqual(lines, other));
}

function areEqual(left: Int32Array, right: Int32Array): boolean {
  return left.length === right.length && left.every((line, at) => line === right[at]);
}
