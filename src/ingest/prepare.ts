import type { Labeller } from "../label/labeller.js";
import { type Cell, isOverlong } from "../notebook/extract.js";
import { profileCell } from "../python/profile.js";
import { strip } from "../python/strip.js";
import { packProfile } from "../store/profile-pack.js";
import type { NewCell, StoredCell } from "../store/vector-store.js";

/** Why a cell is not stored. */
export type SkipReason = "empty" | "comments only" | "too long" | "no tokens";

export type PreparedCell = Omit<NewCell, "vector">;

/** The cell as it is stored, without its vector, or why it is not. */
export function prepareCell({ id, code }: Pick<Cell, "id" | "code">, labeller: Labeller): PreparedCell | SkipReason {
  if (isOverlong(code)) return "too long";
  const clean = strip(code).text;
  if (clean === "") return code.trim() === "" ? "empty" : "comments only";
  return { id, code, clean, ...labelStored(clean, labeller), profile: packProfile(profileCell(code)) };
}

export function labelStored(clean: string, labeller: Labeller): Pick<StoredCell, "labels" | "primary"> {
  const { labels, primary } = labeller.label(clean, "cell");
  const assigned = new Set(labels.map(({ label }) => label));
  return { labels: labeller.labels.filter((label) => assigned.has(label)), primary };
}
