import { RecommenderError } from "../errors.js";
import { readSyncs } from "../ingest/ledger.js";
import { sourceId } from "../notebook/extract.js";
import type { VectorStore } from "../store/vector-store.js";
import type { SourceList } from "./answers.js";

/** The sources of an index; `folder` is the one with the ledger of the runs. */
export async function listSources(store: VectorStore, folder: string): Promise<SourceList> {
  const syncs = new Map(readSyncs(folder).map((sync) => [sync.source, sync]));
  const sources = (await store.sources()).map((summary) => {
    const { at = null, rejected = null } = syncs.get(summary.source) ?? {};
    return { id: sourceId(summary.source), ...summary, lastSync: at, rejected };
  });
  return { sources };
}

/** Removes a source, by its id or its name, with all its notebooks. */
export async function forgetSource(
  store: VectorStore,
  given: string,
  signal?: AbortSignal,
): Promise<{ source: string; removed: number }> {
  const found = (await store.sources()).find(({ source }) => source === given || sourceId(source) === given);
  if (found === undefined)
    throw new RecommenderError(
      "NOT_FOUND",
      `There is no source ${given}; GET /v1/sources or celrec sources lists them.`,
    );
  const removed = await store.removeSource(found.source, signal === undefined ? {} : { signal });
  return { source: found.source, removed };
}
