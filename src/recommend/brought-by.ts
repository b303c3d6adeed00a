import type { StoredCell } from "../store/vector-store.js";
import type { Help } from "./answer/answer.js";
import type { RerankKind } from "./rerank-model.js";

/** Cells before whose lines count as there. */
const MOST_BEFORE = 20;

/**
 * What a hit brings, in the user's names: what it adds to the typed code, or the next cell. Nothing where every line of it is there
 * already. Cells that are like this one are wanted as they are.
 */
export function createBroughtBy(kind: RerankKind, typed: string, before: readonly string[]) {
  const there = new Set([typed, ...before.slice(-MOST_BEFORE)].flatMap(linesOf));
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
