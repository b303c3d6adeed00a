import { setPriority } from "node:os";
import { workerData } from "node:worker_threads";
import type { ThreadReadiness } from "../ask/threads/remote.js";
import { type Calls, serveCalls } from "../ask/threads/serve-calls.js";
import type { Config } from "../config.js";
import type { RecommenderError } from "../errors.js";
import { compose, type Services, type WriterRole } from "./compose.js";

/** What a thread is started with. */
export interface AnswererData {
  readonly config: Config;
  readonly role: WriterRole;
}

/** On Linux a thread has a priority of its own. Threads that it starts inherit it. */
const WRITER_PRIORITY = 10;

// Run as a thread by `service.ts`; nothing imports it.
const { config, role } = workerData as AnswererData;
if (role.share === "writer" && process.platform === "linux") setPriority(0, WRITER_PRIORITY);
await serveCalls(async () => {
  // Whoever started the thread keeps the feedback.
  const services = await compose({ ...config, feedback: false }, role);
  const { labeller, embedder } = services;
  return { facts: { labels: labeller.labels, embedder: embedder.id }, calls: createCalls(services) };
});

function createCalls({ ask, store, workers, warm, close }: Services): Calls {
  const { labels: _, feedback: _kept, ready, ...useCases } = ask;
  return {
    ...useCases,
    open: () => store.open(),
    counts: () => store.counts(),
    refresh: (what: "rows" | "files") => store.refresh?.(what),
    settle: (signal: AbortSignal) => store.settle({ signal }),
    warm: (signal: AbortSignal) => warm(signal),
    warmWorkers: () => workers.warm(),
    close,
    async ready(): Promise<ThreadReadiness> {
      const troubles: RecommenderError[] = [];
      const checks = await ready((error) => troubles.push(error));
      return { checks, troubles: troubles.map(({ code, message }) => ({ code, message })) };
    },
  } satisfies Calls;
}
