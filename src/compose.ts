import { loadGrammar } from "./clean/grammar.js";
import type { Config } from "./config.js";
import { createCodebertEmbedder } from "./embed/codebert.js";
import type { Embedder } from "./embed/embedder.js";
import { createLexicalEmbedder } from "./embed/lexical.js";
import { createIngest, type Ingest } from "./ingest/ingest.js";
import { createLabeller } from "./label/label.js";
import type { Labeller } from "./label/labeller.js";
import { createRecommend, type Recommend } from "./recommend/recommend.js";
import { createEmbeddedStore } from "./store/embedded.js";
import { createMilvusStore } from "./store/milvus.js";
import type { IndexIdentity, VectorStore } from "./store/vector-store.js";

/** Everything that a command or the service works with. */
export interface Services {
  readonly config: Config;
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
  readonly ingest: Ingest;
  readonly recommend: Recommend;
  close(): Promise<void>;
}

/** How this process writes: its name for other writers, and whether it keeps the writer's place. */
export interface WriterRole {
  readonly activity: string;
  readonly url?: string;
  readonly hold: "call" | "session";
}

/**
 * Makes the parts that the configuration names, and nothing else does. Opens neither the store nor the model.
 * @example const services = await compose(parseConfig(process.env), { activity: "my indexer", hold: "session" });
 */
export async function compose(config: Config, role: WriterRole): Promise<Services> {
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
  return {
    config,
    ...parts,
    ingest: createIngest(parts),
    recommend: createRecommend(parts),
    async close() {
      await store.close();
      await embedder.close();
    },
  };
}

/** The labeller alone, for what needs neither model nor store. */
export async function openLabeller(_config: Config): Promise<Labeller> {
  await loadGrammar();
  return createLabeller();
}

export function openEmbedder(config: Config): Promise<Embedder> {
  return embedders[config.embedder](config);
}

const embedders = {
  default: async () => createLexicalEmbedder(),
  lexical: async () => createLexicalEmbedder(),
  codebert: ({ model }) => createCodebertEmbedder({ model }),
} satisfies Record<Config["embedder"], (config: Config) => Promise<Embedder>>;

const stores = {
  embedded: ({ data }, identity, { activity, url, hold }) => {
    const writer = { pid: process.pid, activity, ...(url !== undefined && { url }) };
    return createEmbeddedStore({ folder: data, identity, writer, hold });
  },
  milvus: ({ milvusAddress, milvusPrefix }, identity) =>
    createMilvusStore({ address: milvusAddress, prefix: milvusPrefix, identity }),
} satisfies Record<Config["store"], (config: Config, identity: IndexIdentity, role: WriterRole) => VectorStore>;
