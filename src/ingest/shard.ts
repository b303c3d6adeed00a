import type { Corpus, Found } from "../notebook/corpus/entry.js";
import { idOf } from "./screen.js";

/** One of `of` parts of a corpus, from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Whether a notebook belongs to a shard: by its id alone, so that every machine says the same. */
export function isInShard(id: string, { index, of }: Shard): boolean {
  return Number.parseInt(id.slice(0, 8), 16) % of === index - 1;
}

export async function* takeShard(corpus: Corpus, shard: Shard): AsyncGenerator<Found> {
  for await (const found of corpus) {
    // Notebooks of every shard may lie behind it.
    const isHidden = "rejected" in found && found.hides === true;
    if (isHidden || isInShard(idOf(found), shard)) yield found;
  }
}
