import type { Hit } from "../vector-store.js";
import type { Generation } from "./generations.js";
import type { UnderWay } from "./journal.js";
import type { Level } from "./tables.js";
import type { Visibility } from "./visibility.js";

export interface Found extends Hit {
  /** The write that brought the cell. */
  readonly made: string;
}

export type HiddenAmong = ReturnType<typeof createHiddenAmong>;

/**
 * Cells that lost their last occurrence, or never got one, and are not removed yet. Who takes occurrences away first puts their cells
 * under doubt, and a cell that is new belongs to a write under way, so that only those need a look at the occurrences.
 */
export function createHiddenAmong(visibility: Visibility) {
  return async (
    generation: Generation,
    hits: readonly Found[],
    { doubted, writes }: UnderWay,
    level: Level,
  ): Promise<Set<string>> => {
    const doubtful = hits.filter(({ id, made }) => doubted.has(id) || writes.has(made)).map(({ id }) => id);
    if (doubtful.length === 0) return new Set();
    const holdings = await visibility.holdings(generation, doubtful, level);
    return new Set(doubtful.filter((id) => holdings.get(id) !== "visible"));
  };
}
