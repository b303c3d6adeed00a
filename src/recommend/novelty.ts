import { cellId } from "../notebook/extract.js";
import { profileRecent } from "../python/profile.js";
import { hasLines } from "../store/profile-pack.js";
import type { StoredCell } from "../store/vector-store.js";
import type { HitAdaptation } from "./answer/answer.js";
import type { RerankKind } from "./rerank-model.js";

/** Cells before that are compared line by line; those further up only as a whole. */
const MAX_COMPARED = 20;

/** Whether a stored cell, by its id and packed profile, is new: not one of the cells before, nor one of the nearest with other comments or layout. */
export function createNoveltyCheck(before: readonly string[] = []): (id: string, profile: Uint8Array) => boolean {
  if (before.length === 0) return () => true;
  const ids = new Set(before.map(cellId));
  const known = before.slice(-MAX_COMPARED).map((cell) => profileRecent(cell).lines);
  return (id, profile) => !ids.has(id) && !known.some((lines) => hasLines(profile, lines));
}

/** Number of cells before whose lines count as known. */
const MAX_CELLS_BEFORE = 20;

/**
 * The code that a hit adds to the typed code, in the user's names; empty if it has every line already. In mode
 * `similar` it is the whole cell.
 */
export function createAddedCode(kind: RerankKind, typed: string, before: readonly string[]) {
  const there = new Set([typed, ...before.slice(-MAX_CELLS_BEFORE)].flatMap(linesOf));
  return ({ code, clean }: StoredCell, adapt: (code: string) => HitAdaptation): string => {
    if (kind === "similar") return clean;
    const lines = linesOf(adapt(code).added);
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
