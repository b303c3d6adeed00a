import { cellId } from "../notebook/extract.js";
import { profileRecent } from "../python/profile.js";
import { hasLines } from "../store/profile-pack.js";
import type { StoredCell } from "../store/vector-store.js";
import type { HitAdaptation } from "./answer/answer.js";
import type { RerankKind } from "./rerank-model.js";

/** Number of preceding cells compared line by line; cells further up are compared as a whole. */
const MAX_COMPARED = 20;

/**
 * Creates a check whether a stored cell is new. It is not new if it equals one of the cells before, or differs from one
 * of the nearest only in comments or layout.
 */
export function createNoveltyCheck(before: readonly string[] = []): (id: string, profile: Uint8Array) => boolean {
  if (before.length === 0) return () => true;
  // The ids of the nearest cells are not needed, because an equal cell also has equal lines.
  const ids = new Set(before.slice(0, -MAX_COMPARED).map(cellId));
  const known = before.slice(-MAX_COMPARED).map((cell) => profileRecent(cell).lines);
  return (id, profile) => !ids.has(id) && !known.some((lines) => hasLines(profile, lines));
}

/** Number of cells before whose lines count as known. */
const MAX_CELLS_BEFORE = 20;

/**
 * Computes the code that a hit adds, in the user's variable names; empty if the user already has every line. In mode
 * `similar` it is the whole cell. A line that the hit completes counts as a whole line, and is only compared with the
 * current cell and the one before, because calls are often repeated further down.
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

/** The non-empty lines of code, trimmed. */
function linesOf(code: string): string[] {
  return code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
