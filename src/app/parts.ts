import { assetPath, type Config } from "../config.js";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import type { ExplainingLabeller } from "../label/model-labeller.js";
import type { IndexIdentity, VectorStore } from "../store/vector-store.js";

/** How this process writes: the name shown to other writers, and how long it keeps the write lock. */
export interface WriterRole {
  readonly activity: string;
  readonly url?: string;
  readonly hold: "call" | "session";
  /** False if a missing index is an error: a mistyped folder must not become a new index. */
  readonly create?: boolean;
  /** The role of this thread if threads of one process share an index. */
  readonly share?: "writer" | "reader";
}

// Each part is imported only when it is opened, because code takes memory in every thread that loads it.

/** The labeller that the configuration names. */
export async function openLabeller({ labels }: Pick<Config, "labels">): Promise<ExplainingLabeller> {
  const { createLabeller } = await import("../label/create-labeller.js");
  return createLabeller(labels === undefined ? {} : { folder: labels });
}

/** The embedder that the configuration names. */
export function openEmbedder(config: Config): Promise<Embedder> {
  return embedders[config.embedder](config);
}

/** The store that the configuration names. */
export function openStore(config: Config, identity: IndexIdentity, role: WriterRole): Promise<VectorStore> {
  return stores[config.store](config, identity, role);
}

/** The identity of an index that uses this embedder and labeller. */
export function identityOf(parts: { readonly embedder: Embedder; readonly labeller: Labeller }): IndexIdentity {
  const { embedder, labeller } = parts;
  return { embedder: embedder.id, dimensions: embedder.dimensions, labeller: labeller.id, labels: labeller.labels };
}

const embedders = {
  async default() {
    const { createPiecesEmbedder } = await import("../embed/pieces.js");
    return createPiecesEmbedder({ folder: assetPath("models/embedder") });
  },
  async lexical() {
    const { createLexicalEmbedder } = await import("../embed/lexical.js");
    return createLexicalEmbedder();
  },
  async codebert({ model, data }) {
    const { createCodebertEmbedder } = await import("../embed/codebert.js");
    // The cache is in the index folder, because a container with a read-only root has a volume there.
    return createCodebertEmbedder({ model, cacheFolder: data });
  },
} satisfies Record<Config["embedder"], (config: Config) => Promise<Embedder>>;

const stores = {
  async embedded({ data }, identity, { activity, url, hold, create = true, share }) {
    const { createEmbeddedStore } = await import("../store/embedded.js");
    const writer = { pid: process.pid, activity, ...(url !== undefined && { url }) };
    return createEmbeddedStore({ folder: data, identity, writer, hold, create, ...(share && { share }) });
  },
  async milvus({ milvusAddress, milvusPrefix, milvusToken, milvusTls, milvusDatabase }, identity) {
    const { createMilvusStore } = await import("../store/milvus.js");
    return createMilvusStore({
      address: milvusAddress,
      prefix: milvusPrefix,
      identity,
      tls: milvusTls,
      ...(milvusToken !== undefined && { token: milvusToken }),
      ...(milvusDatabase !== undefined && { database: milvusDatabase }),
    });
  },
} satisfies Record<
  Config["store"],
  (config: Config, identity: IndexIdentity, role: WriterRole) => Promise<VectorStore>
>;
