import { setPriority } from "node:os";
import { workerData } from "node:worker_threads";
import type { JsonAnswer } from "../ask/find-cells.js";
import type { OperationCall } from "../ask/remote.js";
import { assetPath, type Config } from "../config.js";
import type { IndexIdentity, LoadedFiles } from "../store/vector-store.js";
import { serveThread } from "../threads/serve-thread.js";
import { type CallContext, type Handlers, transfer } from "../threads/thread-protocol.js";
import { compose, type Services } from "./compose.js";
import { identityOf, type WriterRole } from "./parts.js";

/** The `workerData` of an answering thread. */
export interface AnswererData {
  readonly config: Config;
  readonly role: WriterRole;
}

/** The message of an answering thread when it is ready. */
export interface AnswererFacts {
  readonly labels: readonly string[];
  readonly embedder: string;
  readonly identity: IndexIdentity;
}

export type AnswererHandlers = ReturnType<typeof createHandlers>;

/** The nice value of the writer. On Linux, each thread has its own, and the threads that it starts inherit it. */
const WRITER_PRIORITY = 10;

// Run as a thread by `service.ts`, which imports its types only.
const { config, role } = workerData as AnswererData;
if (role.share === "writer" && process.platform === "linux") setPriority(0, WRITER_PRIORITY);
await serveThread(async () => {
  const services = await compose(config, role);
  const { labeller, embedder } = services;
  const identity = identityOf({ embedder, labeller });
  const facts: AnswererFacts = { labels: labeller.labels, embedder: embedder.id, identity };
  return { facts, handlers: createHandlers(services), close: services.close };
});

function createHandlers(services: Services) {
  const { operations, store, workers, warm } = services;
  const run = operations as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
  return {
    operate: async ({ name, args }: OperationCall, { signal }: CallContext) => {
      const answer = await run[name]!(...args, signal);
      return name === "recommendJson" ? transfer(answer, [(answer as JsonAnswer).json.buffer]) : answer;
    },
    open: async (loaded: LoadedFiles | undefined) => {
      if (store.openShared !== undefined) return store.openShared(loaded);
      await store.open();
      return loaded;
    },
    counts: () => store.counts(),
    refresh: async (what: "rows" | "files") => store.refresh?.(what),
    settle: (_: undefined, { signal }: CallContext) => store.settle({ signal }),
    warm: (_: undefined, { signal }: CallContext) => warm(signal),
    warmWorkers: () => workers.warm(),
    indexSamples: async () => {
      const { openPaths } = await import("../notebook/corpus/open-paths.js");
      const { indexCorpus } = await import("../ask/index-corpus.js");
      const samples = await openPaths([assetPath("examples/notebooks")], { source: "samples" });
      const { totals } = (await indexCorpus(samples, services))!;
      return { notebooks: totals.notebooks, cells: totals.cells };
    },
  } satisfies Handlers;
}
