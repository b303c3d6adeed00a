import { assetPath, type Config } from "../config.js";
import { createCodebertEmbedder } from "../embed/codebert.js";
import type { Embedder } from "../embed/embedder.js";
import { createLexicalEmbedder } from "../embed/lexical.js";
import { createPiecesEmbedder } from "../embed/pieces.js";
import { createLabeller } from "../label/create-labeller.js";
import type { Labeller } from "../label/labeller.js";
import type { ExplainingLabeller } from "../label/model-labeller.js";
import { loadGrammar } from "../python/grammar.js";
import type { IndexIdentity } from "../store/vector-store.js";

/** The labeller that the configuration names. */
export async function openLabeller({ labels }: Pick<Config, "labels">): Promise<ExplainingLabeller> {
  await loadGrammar();
  return createLabeller(labels === undefined ? {} : { folder: labels });
}

/** The embedder that the configuration names. */
export function openEmbedder(config: Config): Promise<Embedder> {
  return embedders[config.embedder](config);
}

/** The identity of an index made with these parts. */
export function identityOf(parts: { readonly embedder: Embedder; readonly labeller: Labeller }): IndexIdentity {
  const { embedder, labeller } = parts;
  return { embedder: embedder.id, dimensions: embedder.dimensions, labeller: labeller.id, labels: labeller.labels };
}

const embedders = {
  default: () => createPiecesEmbedder({ folder: assetPath("models/embedder") }),
  lexical: async () => createLexicalEmbedder(),
  // Beside the index, which a container with a read-only root has a volume for.
  codebert: ({ model, data }) => createCodebertEmbedder({ model, cacheFolder: data }),
} satisfies Record<Config["embedder"], (config: Config) => Promise<Embedder>>;
