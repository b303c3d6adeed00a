import { notebookId } from "../../cells/extract.js";
import type { Services } from "../../compose.js";
import { ingestCorpus } from "../../ingest/ingest-corpus.js";
import { idOf } from "../../ingest/screen.js";
import type { OpenedCorpus } from "../../notebook/corpus/entry.js";
import { describeFile } from "../../notebook/corpus/folder.js";
import { indexCorpus } from "../index-corpus.js";
import { createIndexProgress } from "../index-progress.js";
import type { Output } from "../output.js";
import type { Outcome, Sink } from "./sink.js";

export interface LocalSinkDeps {
  readonly opened: OpenedCorpus;
  readonly services: Services;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Whether what has gone from the folders meanwhile is removed. */
  readonly prune: boolean;
}

/** The index of this process. */
export function createLocalSink({ opened, services, output, signal, prune }: LocalSinkDeps): Sink {
  const { store, workers } = services;
  return {
    async sync() {
      const progress = createIndexProgress(output, false);
      const result = await indexCorpus(opened, services, { prune, list: false, signal, progress });
      const removed = result?.pruned ?? 0;
      if (removed > 0) output.line(`removed ${removed} notebooks that are gone`);
    },
    async put(files) {
      const corpus = async function* () {
        for (const { source, path, file } of files) yield await describeFile(source, path, file);
      };
      const outcomes = new Map<string, Outcome>();
      for await (const { reports, rejected } of ingestCorpus(corpus(), { store, workers }, { signal })) {
        for (const { id, cells, unchanged } of reports) outcomes.set(id, { cells, unchanged });
        for (const { source, name, kind, reason } of rejected)
          outcomes.set(notebookId(name, source), { reason, isHalf: kind === "not-json" });
      }
      return files.map((file) => outcomes.get(idOf(file)) ?? null);
    },
    remove: ({ path, source }) => store.remove(notebookId(path, source)),
    close: () => services.close(),
  };
}
