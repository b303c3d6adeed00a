import { createHash } from "node:crypto";
import type { Corpus, CorpusItem, Entry } from "../notebook/corpus/entry.js";
import { notebookId } from "../notebook/extract.js";
import type { NotebookFacts, VectorStore } from "../store/vector-store.js";
import type { Ledger } from "./ledger.js";
import type { CorpusReport } from "./report.js";

/** The result for an entry that need not be read: it is stored unchanged, or only its facts changed. */
export interface ScreenResult {
  readonly found: CorpusItem;
  readonly known: CorpusReport | null;
  readonly force: boolean;
}

/** Finds unchanged entries by stamp and version, without reading them. */
export async function screen(
  found: readonly CorpusItem[],
  { ledger, store }: { readonly ledger: Ledger; readonly store: Pick<VectorStore, "versions"> },
): Promise<ScreenResult[]> {
  const entries = found.filter((each): each is Entry => !("rejected" in each));
  const remembered = ledger.recall(entries.map(idOf));
  const same = entries.filter(({ stamp, ...entry }) => stamp !== null && remembered.get(idOf(entry))?.stamp === stamp);
  const versions = same.length === 0 ? new Map<string, string>() : await store.versions(same.map(idOf));
  return found.map((each) => {
    const id = idOf(each);
    const memory = remembered.get(id);
    if ("rejected" in each || memory === undefined) return { found: each, known: null, force: false };
    if (memory.facts !== hashFacts(each.facts)) return { found: each, known: null, force: true };
    if (versions.get(id) !== memory.version) return { found: each, known: null, force: false };
    const { cells, skipped } = memory;
    const known = { id, source: each.source, name: each.path, cells, new: 0, duplicate: cells, skipped };
    return { found: each, known: { ...known, replaced: false, unchanged: true, skips: {} }, force: false };
  });
}

export function idOf({ source, path }: Pick<CorpusItem, "source" | "path">): string {
  return notebookId(path, source);
}

/** The facts without the revision, which changes with every commit; the stamps show which files changed. */
export function hashFacts({ revision: _, ...facts }: NotebookFacts): string {
  const sorted = Object.entries(facts).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 16);
}

/** One of `of` parts of a corpus, from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Whether a notebook belongs to a shard. Depends only on its id, so every machine gets the same result. */
export function isInShard(id: string, { index, of }: Shard): boolean {
  return Number.parseInt(id.slice(0, 8), 16) % of === index - 1;
}

export async function* takeShard(corpus: Corpus, shard: Shard): AsyncGenerator<CorpusItem> {
  for await (const found of corpus) {
    // A rejected archive or folder may contain notebooks of any shard, so it belongs to every shard.
    const isHidden = "rejected" in found && found.isContainer === true;
    if (isHidden || isInShard(idOf(found), shard)) yield found;
  }
}
