import { setImmediate as nextTurn } from "node:timers/promises";
import { type AskTasks, createAskTasks, type RunOnWorker, runInline } from "../ask/deps.js";
import { createOperations, type Operations } from "../ask/operations.js";
import { createUseCases, type UseCases } from "../ask/use-cases.js";
import type { Complete } from "../complete/completion-request.js";
import { assetPath, type Config } from "../config.js";
import type { Embedder } from "../embed/embedder.js";
import { createIngest, type Ingest } from "../ingest/ingest.js";
import { createWorkerPool, createWorkers, type IngestTasks, type Workers } from "../ingest/workers.js";
import type { ExplainingLabeller } from "../label/model-labeller.js";
import { createRecommend, type Recommend } from "../recommend/recommend.js";
import { createReranker } from "../recommend/rerank.js";
import { chooseModelFolder } from "../recommend/rerank-model.js";
import type { VectorStore } from "../store/vector-store.js";
import { type Completion, createCompletion } from "./completion.js";
import { identityOf, openEmbedder, openLabeller, openStore, type WriterRole } from "./parts.js";
import type { ThreadData } from "./worker.js";

/** Notebooks of at most this many bytes are indexed in the calling thread, which is faster than sending them to another. */
const MAX_INLINE_BYTES = 8 * 1024;

/** The parts that a command or the service uses. */
export interface Services {
  readonly config: Config;
  readonly embedder: Embedder;
  readonly labeller: ExplainingLabeller;
  readonly store: VectorStore;
  readonly ingest: Ingest;
  /** Threads that parse, label and embed notebooks; started on first use. */
  readonly workers: Workers;
  readonly recommend: Recommend;
  /** Completes the text at the cursor. */
  readonly complete: Complete;
  /** Keeps the completion model in sync with the index. */
  readonly completion: Completion;
  /** Runs large requests on the same threads. */
  readonly runOnWorker: RunOnWorker;
  /** The operations behind `ask`, which may run on another thread. */
  readonly operations: Operations;
  /** The use cases of REST, the command line and agents, with all defaults and limits. */
  readonly ask: UseCases;
  /** Sends some requests, so that the first users are answered as fast as later ones. Yields to other work. */
  warm(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** After this many requests the code is compiled, and the index files are in the page cache. */
const WARM_UP_REQUESTS = 40;
/** Cells before in such a request, so that the code which uses the context is compiled, too. */
const WARM_UP_CONTEXT = 3;
const MAX_WARM_UP_MS = 1_000;

/**
 * Creates all parts named in the configuration; only this module does. Opens neither the store nor the model. With one stage, cells are ranked by cosine alone.
 * @example const services = await compose(parseConfig(process.env), { activity: "my indexer", hold: "session" });
 */
export async function compose(config: Config, role: WriterRole, stages: 1 | 2 = 2): Promise<Services> {
  const labeller = await openLabeller(config);
  const embedder = await openEmbedder(config);
  const identity = identityOf({ embedder, labeller });
  const base = await openStore(config, identity, role);
  const completion = createCompletion(config, base);
  // If threads share the work, only the completer thread learns.
  const store = role.share === undefined ? learningStore(base, completion) : base;
  const parts = { embedder, labeller, store };
  // CodeBERT starts its own threads, and a copy of the model in each of our threads would not fit into memory.
  const embeds = config.embedder !== "codebert";
  const thread: ThreadData = { config, embeds };
  const pool = createWorkerPool<IngestTasks & AskTasks>({ module: assetPath("dist/src/app/worker.js"), data: thread });
  const inline = role.hold === "call" ? MAX_INLINE_BYTES : 0;
  const workers = createWorkers({ pool, embedder, labeller, embeds, inline });
  // The paper's recommender has one stage.
  const reranker =
    config.preset === "paper" || stages === 1
      ? null
      : await createReranker({ folder: chooseModelFolder(config.data, assetPath("models/rerank")) });
  // A reader of the service already runs in its own thread, so large requests need no other thread.
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
      const end = performance.now() + MAX_WARM_UP_MS;
      for await (const cells of store.scan()) {
        for (const [at, { code }] of cells.slice(0, WARM_UP_REQUESTS).entries()) {
          if (signal.aborted || performance.now() > end) return;
          const half = code.slice(0, Math.ceil(code.length / 2));
          const before = cells.slice(Math.max(0, at - WARM_UP_CONTEXT), at).map((cell) => cell.code);
          const context = { before };
          await recommend({ code: half, k: 3, mode: "auto", filter: "soft", collapse: true, context, signal });
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

/** Settling also updates the completer: it learns new notebooks and forgets removed ones. */
function learningStore(store: VectorStore, completion: Completion): VectorStore {
  const forgetAfter =
    <A extends readonly unknown[], T>(remove: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const removed = await remove(...args);
      await completion.forget();
      return removed;
    };
  return {
    ...store,
    remove: forgetAfter(store.remove),
    removeSource: forgetAfter(store.removeSource),
    clear: forgetAfter(store.clear),
    async settle(options = {}) {
      await store.settle(options);
      await completion.update(options.signal);
    },
  };
}
