import type { Services } from "../../app/compose.js";
import { indexCorpus } from "../../ask/index-corpus.js";
import { ingestCorpus } from "../../ingest/ingest-corpus.js";
import { idOf } from "../../ingest/screen.js";
import type { OpenedCorpus } from "../../notebook/corpus/entry.js";
import { describeAlone } from "../../notebook/corpus/folder.js";
import { notebookId } from "../../notebook/extract.js";
import { asOneLine, describeSkipped, type Output } from "../output.js";
import { createIndexProgress } from "../progress.js";

interface LocalSinkDeps {
  readonly opened: OpenedCorpus;
  readonly services: Services;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Whether deleted notebooks are removed from the index. */
  readonly prune: boolean;
}

/** Writes to the local index. */
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
      if (rejections.count > rejections.first.length)
        output.note(`All rejected files are listed in ${rejections.file}.`);
      const leftOut = opened.leftOut();
      if (leftOut.length > 0) output.note(describeSkipped(leftOut));
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

/** A notebook in a folder that is watched: source and path are those that `celrec index FOLDER` gives it. */
export interface WatchedFile {
  readonly file: string;
  readonly source: string;
  readonly path: string;
}

/** The result for a file. `isHalf`: it may be half written, and complete a moment later. */
export type Outcome =
  | "no notebook"
  | { readonly cells: number; readonly unchanged: boolean }
  | { readonly reason: string; readonly isHalf: boolean };

/** Where watched notebooks go. */
export interface Sink {
  /** Indexes the whole folders. */
  sync(): Promise<void>;
  /** One outcome per file, in their order. */
  put(files: readonly WatchedFile[]): Promise<Outcome[]>;
  /** False if it was not in the index. */
  remove(file: WatchedFile): Promise<boolean>;
  close(): Promise<void>;
}
