import { setImmediate as nextTurn } from "node:timers/promises";
import { type AskTasks, createAskTasks, type RunOnWorker, runInline } from "../ask/deps.js";
import { createOperations, createUseCases, type Operations, type UseCases } from "../ask/use-cases.js";
import type { Complete } from "../complete/request.js";
import { assetPath, type Config } from "../config.js";
import type { Embedder } from "../embed/embedder.js";
import { createIngest, type Ingest } from "../ingest/ingest.js";
import { createWorkerPool } from "../ingest/workers/pool.js";
import type { IngestTasks } from "../ingest/workers/tasks.js";
import { createWorkers, type Workers } from "../ingest/workers/workers.js";
import type { ExplainingLabeller } from "../label/model-labeller.js";
import { createRecommend, type Recommend } from "../recommend/recommend.js";
import { createReranker } from "../recommend/rerank.js";
import { chooseModelFolder } from "../recommend/rerank-model.js";
import { createEmbeddedStore } from "../store/embedded.js";
import { createMilvusStore } from "../store/milvus.js";
import type { IndexIdentity, VectorStore } from "../store/vector-store.js";
import { type Completion, createCompletion } from "./completion.js";
import { identityOf, openEmbedder, openLabeller } from "./parts.js";
import type { ThreadData } from "./worker.js";

/** In a server, a notebook of a few cells is in the index before a thread has heard of it. */
const WORK_INLINE = 8 * 1024;

/** Everything that a command or the service works with. */
export interface Services {
  readonly config: Config;
  readonly embedder: Embedder;
  readonly labeller: ExplainingLabeller;
  readonly store: VectorStore;
  readonly ingest: Ingest;
  /** Threads for notebooks; started when there is work for them. */
  readonly workers: Workers;
  readonly recommend: Recommend;
  /** Continues the text at the cursor. */
  readonly complete: Complete;
  /** Keeps what is learnt for completions in step with the index. */
  readonly completion: Completion;
  /** Large requests, on the same threads. */
  readonly runOnWorker: RunOnWorker;
  /** What a thread runs for another one; `ask` is made of it. */
  readonly operations: Operations;
  /** What REST and the command line ask, with all defaults and limits. */
  readonly ask: UseCases;
  /** Asks for some stored cells, so that the first questions are answered as fast as later ones. Gives way to other work. */
  warm(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** How this process writes: its name for other writers, and whether it keeps the writer's place. */
export interface WriterRole {
  readonly activity: string;
  readonly url?: string;
  readonly hold: "call" | "session";
  /** False where an index that is not there is an error: a mistyped folder must not become one. */
  readonly create?: boolean;
  /** Its part where threads of one process share the work. */
  readonly share?: "writer" | "reader";
}

/** Questions after which the code is compiled, and the paths into the files are in memory. */
const WARMING = 40;
/** Nobody waits longer for that. */
const LONGEST_WARMING_MS = 2_500;

/**
 * Makes the parts that the configuration names, and nothing else does. Opens neither the store nor the model. With one stage,
 * cells are ranked by cosine alone.
 * @example const services = await compose(parseConfig(process.env), { activity: "my indexer", hold: "session" });
 */
export async function compose(config: Config, role: WriterRole, stages: 1 | 2 = 2): Promise<Services> {
  const labeller = await openLabeller(config);
  const embedder = await openEmbedder(config);
  const identity = identityOf({ embedder, labeller });
  const base = openStore(config, identity, role);
  const completion = createCompletion(config, base);
  // Whoever shares the work with other threads leaves learning to the one that completes.
  const store = role.share === undefined ? learningStore(base, completion) : base;
  const parts = { embedder, labeller, store };
  // CodeBERT computes on threads of its own, and a copy of it for each of ours would not fit into memory.
  const embeds = config.embedder !== "codebert";
  const thread: ThreadData = { config, embeds };
  const pool = createWorkerPool<IngestTasks & AskTasks>({ module: assetPath("dist/src/app/worker.js"), data: thread });
  const inline = role.hold === "call" ? WORK_INLINE : 0;
  const workers = createWorkers({ pool, embedder, labeller, embeds, inline });
  // The paper's recommender has one stage.
  const reranker =
    config.preset === "paper" || stages === 1
      ? null
      : await createReranker({ folder: chooseModelFolder(config.data, assetPath("models/rerank")) });
  // A thread that reads for a service is another thread already.
  const runOnWorker: RunOnWorker =
    role.share === "reader" ? runInline(createAskTasks({ labeller, config })) : pool.call;
  const ingest = createIngest({ ...parts, make: workers.make });
  const recommend = createRecommend({ ...parts, ...(reranker && { reranker }) });
  const { complete } = completion;
  const operations = createOperations({ config, ...parts, ingest, recommend, complete, workers, runOnWorker });
  return {
    config,
    ...parts,
    workers,
    ingest,
    recommend,
    complete,
    completion,
    runOnWorker,
    operations,
    ask: createUseCases({ operations, labels: labeller.labels, embedder: embedder.id, config }),
    async warm(signal) {
      const end = performance.now() + LONGEST_WARMING_MS;
      for await (const cells of store.scan()) {
        for (const { code } of cells.slice(0, WARMING)) {
          if (signal.aborted || performance.now() > end) return;
          const half = code.slice(0, Math.ceil(code.length / 2));
          await recommend({ code: half, k: 3, mode: "auto", filter: "soft", collapse: true, signal });
          await nextTurn();
        }
        return;
      }
    },
    async close() {
      await workers.close();
      await completion.close();
      await store.close();
      await embedder.close();
    },
  };
}

/** The store that the configuration names. */
export function openStore(config: Config, identity: IndexIdentity, role: WriterRole): VectorStore {
  return stores[config.store](config, identity, role);
}

/** Settling also learns what is suggested at the cursor. */
function learningStore(store: VectorStore, completion: Completion): VectorStore {
  return {
    ...store,
    async settle(options = {}) {
      await store.settle(options);
      await completion.update(options.signal);
    },
  };
}

const stores = {
  embedded: ({ data }, identity, { activity, url, hold, create = true, share }) => {
    const writer = { pid: process.pid, activity, ...(url !== undefined && { url }) };
    return createEmbeddedStore({ folder: data, identity, writer, hold, create, ...(share && { share }) });
  },
  milvus: ({ milvusAddress, milvusPrefix, milvusToken, milvusTls, milvusDatabase }, identity) =>
    createMilvusStore({
      address: milvusAddress,
      prefix: milvusPrefix,
      identity,
      tls: milvusTls,
      ...(milvusToken !== undefined && { token: milvusToken }),
      ...(milvusDatabase !== undefined && { database: milvusDatabase }),
    }),
} satisfies Record<Config["store"], (config: Config, identity: IndexIdentity, role: WriterRole) => VectorStore>;
