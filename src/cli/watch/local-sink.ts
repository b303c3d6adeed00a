import type { Services } from "../../app/compose.js";
import { indexCorpus } from "../../ask/index-corpus.js";
import { ingestCorpus } from "../../ingest/ingest-corpus.js";
import { idOf } from "../../ingest/screen.js";
import type { OpenedCorpus } from "../../notebook/corpus/entry.js";
import { describeAlone } from "../../notebook/corpus/folder.js";
import { notebookId } from "../../notebook/extract.js";
import { createIndexProgress } from "../index-progress.js";
import { asOneLine, type Output } from "../output.js";
import { tellLeftOut } from "../tell-left-out.js";
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
      const result = await indexCorpus(opened, services, { prune, signal, progress });
      if (result === null || signal.aborted) return;
      const { totals, rejections, pruned } = result;
      output.line(`${totals.notebooks} notebooks (${totals.unchanged} unchanged), ${totals.cells} cells`);
      for (const { name, reason } of rejections.first) output.note(asOneLine(`${name}: ${reason}`));
      if (rejections.count > rejections.first.length) output.note(`All that was rejected is in ${rejections.file}.`);
      const leftOut = opened.leftOut();
      if (leftOut.length > 0) output.note(tellLeftOut(leftOut));
      if (pruned !== null && pruned > 0) output.line(`removed ${pruned} notebooks that are gone`);
    },
    async put(files) {
      const corpus = async function* () {
        for (const { source, path, file } of files) yield await describeAlone(source, path, file);
      };
      const outcomes = new Map<string, Outcome>();
      const steps = ingestCorpus(corpus(), { store, workers }, { signal });
      for await (const { reports, rejected, passedOver } of steps) {
        for (const id of passedOver) outcomes.set(id, "no notebook");
        for (const { id, cells, unchanged } of reports) outcomes.set(id, { cells, unchanged });
        for (const { source, name, kind, reason } of rejected)
          outcomes.set(notebookId(name, source), { reason, isHalf: kind === "not-json" });
      }
      signal.throwIfAborted();
      return files.map((file) => outcomes.get(idOf(file))!);
    },
    remove: ({ path, source }) => store.remove(notebookId(path, source)),
    close: () => services.close(),
  };
}
