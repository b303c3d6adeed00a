import type { NotebookFilter } from "../vector-store.js";

/** A condition on a notebook `n`; its parameters come from `filterParameters`. What is not asked for is not looked at. */
export const PASSES = `(? is null or n.source in (select cast(value as blob) from json_each(?)))
  and (? = 0 or coalesce(json_extract(cast(n.facts as text), '$.votes'), 0) >= ?)`;

export type FilterParameters = [string | null, string | null, number, number];

export function filterParameters({ sources, minVotes = 0 }: NotebookFilter = {}): FilterParameters {
  const list = sources === undefined ? null : JSON.stringify(sources.map((source) => source.toWellFormed()));
  return [list, list, minVotes, minVotes];
}
