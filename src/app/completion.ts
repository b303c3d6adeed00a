import { createCompleter } from "../complete/completer.js";
import type { Complete } from "../complete/completion-request.js";
import { createIndexModel } from "../complete/index-model.js";
import { openShippedModel } from "../complete/shipped-model.js";
import { assetPath, type Config } from "../config.js";
import type { VectorStore } from "../store/vector-store.js";

/** The completer of one process or thread, with the functions that keep its model in sync with the index. */
export interface Completion {
  readonly complete: Complete;
  /** Stops suggesting text that only deleted notebooks contained. Does nothing before the model is opened. */
  forget(): Promise<void>;
  /** Learns new notebooks and forgets deleted ones. A call during a run waits for the next run. */
  update(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Opens models on first use. The model of the index is kept in the data folder for every store. */
export function createCompletion(config: Pick<Config, "data">, store: VectorStore): Completion {
  let opened: ReturnType<typeof open> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const stopped = new AbortController();
  const open = async () => {
    const shipped = await openShippedModel(assetPath("models/complete"));
    const index = createIndexModel({ shipped, folder: config.data });
    await index.load();
    return { index, complete: createCompleter({ shipped, index }) };
  };
  const use = () => {
    opened ??= open();
    return opened;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = running.then(work);
    running = next.catch(() => {});
    return next;
  };
  return {
    async complete(request) {
      const { complete } = await use();
      request.signal?.throwIfAborted();
      return complete(request);
    },
    async forget() {
      if (opened !== undefined) await (await opened).index.forgetMissing(store);
    },
    async update(signal) {
      const { index } = await use();
      const both = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]);
      await inTurn(() => index.update(store, both));
    },
    async close() {
      stopped.abort();
      await running;
    },
  };
}
