import { cellId } from "../notebook/extract.js";
import { type CellProfile, profileCell } from "../python/profile.js";
import type { StoredCell } from "../store/vector-store.js";
import type { Help } from "./answer/answer.js";
import type { RerankKind } from "./rerank-model.js";

/** Cells before that are compared line by line; those further up only as a whole. */
const MAX_COMPARED = 20;

/** Whether a stored cell is none of those before; of the nearest also none that differs in comments and layout alone. */
export function createNoveltyCheck(before: readonly string[] = []): (id: string, cell: CellProfile) => boolean {
  if (before.length === 0) return () => true;
  const ids = new Set(before.map(cellId));
  const known = before.slice(-MAX_COMPARED).map((cell) => profileCell(cell).lines);
  return (id, { lines }) => !ids.has(id) && !known.some((other) => areEqual(lines, other));
}

function areEqual(left: Int32Array, right: Int32Array): boolean {
  return left.length === right.length && left.every((line, at) => line === right[at]);
}

/** Cells before whose lines count as there. */
const MAX_CELLS_BEFORE = 20;

/**
 * What a hit brings, in the user's names: what it adds to the typed code, or the next cell. Nothing where every line of it is there
 * already. Cells that are like this one are wanted as they are.
 */
export function createAddedCode(kind: RerankKind, typed: string, before: readonly string[]) {
  const there = new Set([typed, ...before.slice(-MAX_CELLS_BEFORE)].flatMap(linesOf));
  return ({ code, clean }: StoredCell, help: (code: string) => Help): string => {
    if (kind === "similar") return clean;
    const lines = linesOf(help(code).added);
    return lines.every((line) => there.has(line)) ? "" : lines.join("\n");
  };
}

/** Lines of code, without white space around them. */
function linesOf(code: string): string[] {
  return code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
