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
 * `similar` it is the whole cell. A line that the hit finishes counts as a whole; it is known if this cell or the one before has it,
 * since the same call is often made again further down.
 */
export function createAddedCode(kind: RerankKind, typed: string, before: readonly string[]) {
  const there = new Set([typed, ...before.slice(-MAX_CELLS_BEFORE)].flatMap(linesOf));
  const near = new Set([typed, ...before.slice(-1)].flatMap(linesOf).map(withoutSpaces));
  const begun = typed.slice(typed.lastIndexOf("\n") + 1).trim();
  return ({ code, clean }: StoredCell, adapt: (code: string) => HitAdaptation): string => {
    if (kind === "similar") return clean;
    const { added, continuesLine } = adapt(code);
    const lines = linesOf(added);
    const isKnown = (line: string, at: number) =>
      continuesLine && at === 0 ? near.has(withoutSpaces(begun + line)) : there.has(line);
    return lines.every(isKnown) ? "" : lines.join("\n");
  };
}

const withoutSpaces = (line: string): string => line.replace(/\s+/g, "");

/** Lines of code, without white space around them. */
function linesOf(code: string): string[] {
  return code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
