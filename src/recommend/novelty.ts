import { type CellProfile, profileCell } from "./features/profile.js";

/** Context cells that are compared; a notebook can have thousands. */
const MOST_BEFORE = 500;

/** Whether a cell is none of those before, comments and layout aside. */
export function createNoveltyCheck(before: readonly string[] = []): (cell: CellProfile) => boolean {
  if (before.length === 0) return () => true;
  const known = new Set(before.slice(-MOST_BEFORE).map((cell) => keyOf(profileCell(cell))));
  return (cell) => !known.has(keyOf(cell));
}

function keyOf({ lines }: CellProfile): string {
  return lines.join(" ");
}
