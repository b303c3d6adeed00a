import { workerData } from "node:worker_threads";
import { createAskTasks } from "../ask/deps.js";
import type { Config } from "../config.js";
import { createTasks } from "../ingest/workers.js";
import { serveThread } from "../threads/serve-thread.js";
import { openEmbedder, openLabeller } from "./parts.js";

/** The `workerData` of a thread. */
export interface ThreadData {
  readonly config: Config;
  readonly embeds: boolean;
}

// Run as a thread by the pool that `compose.ts` makes; nothing imports it.
const { config, embeds } = workerData as ThreadData;
const openHandlers = async () => {
  const labeller = await openLabeller(config);
  const embedder = embeds ? await openEmbedder(config) : null;
  return { handlers: { ...createTasks({ labeller, embedder }), ...createAskTasks({ labeller, config }) } };
};
await serveThread(openHandlers, { isSequential: true });
