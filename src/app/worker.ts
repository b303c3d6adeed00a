import { workerData } from "node:worker_threads";
import { createAskTasks } from "../ask/tasks.js";
import type { Config } from "../config.js";
import { serveJobs } from "../ingest/workers/serve-jobs.js";
import { createTasks } from "../ingest/workers/tasks.js";
import { openEmbedder, openLabeller } from "./parts.js";

/** What a thread is started with. */
export interface ThreadData {
  readonly config: Config;
  readonly embeds: boolean;
}

// Run as a thread by the pool that `compose.ts` makes; nothing imports it.
const { config, embeds } = workerData as ThreadData;
const labeller = await openLabeller(config);
serveJobs({
  ...createTasks({ labeller, embedder: embeds ? await openEmbedder(config) : null }),
  ...createAskTasks({ labeller, config }),
});
