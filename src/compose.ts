import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createUseCases, type UseCases } from "./ask/use-cases.js";
import { assetPath } from "./assets.js";
import type { Config } from "./config.js";
import { createCodebertEmbedder } from "./embed/codebert.js";
import type { Embedder } from "./embed/embedder.js";
import { createLexicalEmbedder } from "./embed/lexical.js";
import { createPiecesEmbedder } from "./embed/pieces.js";
import { RecommenderError } from "./errors.js";
import { createIngest, type Ingest } from "./ingest/ingest.js";
import { createLabeller } from "./label/label.js";
import type { ExplainingLabeller } from "./label/model-labeller.js";
import { loadGrammar } from "./python/grammar.js";
import { createRecommend, type Recommend } from "./recommend/recommend.js";
import { createReranker } from "./recommend/rerank.js";
import { createEmbeddedStore } from "./store/embedded.js";
import { createMilvusStore } from "./store/milvus.js";
import type { IndexIdentity, VectorStore } from "./store/vector-store.js";

/** Everything that a command or the service works with. */
export interface Services {
  readonly config: Config;
  readonly embedder: Embedder;
  readonly labeller: ExplainingLabeller;
  readonly store: VectorStore;
  readonly ingest: Ingest;
  readonly recommend: Recommend;
  /** What REST and the command line ask, with all defaults and limits. */
  readonly ask: UseCases;
  /** Reads every cell once, so that the first questions are answered as fast as later ones. Gives way to other work. */
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
}

/**
 * Makes the parts that the configuration names, and nothing else does. Opens neither the store nor the model. With one stage,
 * cells are ranked by cosine alone.
 * @example const services = await compose(parseConfig(process.env), { activity: "my indexer", hold: "session" });
 */
export async function compose(config: Config, role: WriterRole, stages: 1 | 2 = 2): Promise<Services> {
  const labeller = await openLabeller(config);
  const embedder = await openEmbedder(config);
  const identity: IndexIdentity = {
    embedder: embedder.id,
    dimensions: embedder.dimensions,
    labeller: labeller.id,
    labels: labeller.labels,
  };
  const store = stores[config.store](config, identity, role);
  const parts = { embedder, labeller, store };
  // The paper's recommender has one stage.
  const reranker =
    config.preset === "paper" || stages === 1 ? null : await createReranker({ folder: assetPath("models/rerank") });
  const ingest = createIngest(parts);
  const recommend = createRecommend({ ...parts, ...(reranker && { reranker }) });
  return {
    config,
    ...parts,
    ingest,
    recommend,
    ask: createUseCases({ config, ...parts, ingest, recommend }),
    async warm(signal) {
      if (reranker === null) return;
      for await (const cells of store.scan()) {
        const goesOn = cells.map(({ id, code }) => reranker.profiles.learn(id, code)).at(-1);
        if (!goesOn || signal.aborted) return;
        await nextTurn();
      }
    },
    async close() {
      await store.close();
      await embedder.close();
    },
  };
}

/** The labeller alone, for what needs neither model nor store. */
export async function openLabeller({ labels }: Config): Promise<ExplainingLabeller> {
  await loadGrammar();
  return createLabeller(labels === undefined ? {} : { folder: labels });
}

export function openEmbedder(config: Config): Promise<Embedder> {
  return embedders[config.embedder](config);
}

const embedders = {
  default: () => createPiecesEmbedder({ folder: assetPath("models/embedder") }),
  lexical: async () => createLexicalEmbedder(),
  codebert: ({ model }) => createCodebertEmbedder({ model }),
} satisfies Record<Config["embedder"], (config: Config) => Promise<Embedder>>;

const stores = {
  embedded: ({ data }, identity, { activity, url, hold, create = true }) => {
    if (!create) checkIndex(data);
    const writer = { pid: process.pid, activity, ...(url !== undefined && { url }) };
    return createEmbeddedStore({ folder: data, identity, writer, hold });
  },
  milvus: ({ milvusAddress, milvusPrefix }, identity) =>
    createMilvusStore({ address: milvusAddress, prefix: milvusPrefix, identity }),
} satisfies Record<Config["store"], (config: Config, identity: IndexIdentity, role: WriterRole) => VectorStore>;

function checkIndex(folder: string): void {
  if (existsSync(folder)) return;
  throw new RecommenderError("NOT_FOUND", `There is no index in ${folder}; make one with: celrec index PATHS`);
}
