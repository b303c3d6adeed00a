import { assetPath, type Config } from "../config.js";
import { createCodebertEmbedder } from "../embed/codebert.js";
import type { Embedder } from "../embed/embedder.js";
import { createLexicalEmbedder } from "../embed/lexical.js";
import { createPiecesEmbedder } from "../embed/pieces.js";
import { createLabeller } from "../label/label.js";
import type { ExplainingLabeller } from "../label/model-labeller.js";
import { loadGrammar } from "../python/grammar.js";

/** The labeller that the configuration names. */
export async function openLabeller({ labels }: Pick<Config, "labels">): Promise<ExplainingLabeller> {
  await loadGrammar();
  return createLabeller(labels === undefined ? {} : { folder: labels });
}

/** The embedder that the configuration names. */
export function openEmbedder(config: Config): Promise<Embedder> {
  return embedders[config.embedder](config);
}

const embedders = {
  default: () => createPiecesEmbedder({ folder: assetPath("models/embedder") }),
  lexical: async () => createLexicalEmbedder(),
  codebert: ({ model }) => createCodebertEmbedder({ model }),
} satisfies Record<Config["embedder"], (config: Config) => Promise<Embedder>>;
