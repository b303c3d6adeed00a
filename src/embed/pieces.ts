import { z } from "zod";
import { subwords } from "../python/subwords.js";
import { createPieceEncoder, type Vocabulary } from "./bpe.js";
import type { Embedder, EmbedRole } from "./embedder.js";
import { manifestSchema, readManifest, readModelFile } from "./model-files.js";
import { toUnitLength } from "./unit-length.js";

/** What lies behind these is data pasted into a cell; both limits bound the work for any text. */
const MOST_CHARACTERS = 30_000;
const MOST_WORDS = 1500;

const piecesManifest = manifestSchema.extend({ dimensions: z.int().positive(), pieces: z.int().positive() });

/**
 * The default embedder: a text is the normalised sum, over its distinct pieces, of (1 + log count) x weight x vector.
 * Vectors are bytes, their scale is in the weights; query and cell have weights of their own.
 */
export async function createPiecesEmbedder({ folder }: { readonly folder: string }): Promise<Embedder> {
  const manifest = await readManifest(folder, piecesManifest);
  const [vocabulary, vectors, weights] = await Promise.all([
    readModelFile(folder, manifest, "pieces.json"),
    readModelFile(folder, manifest, "vectors.i8"),
    readModelFile(folder, manifest, "weights.f32"),
  ]);
  const { dimensions, pieces } = manifest;
  const encode = createPieceEncoder(JSON.parse(vocabulary.toString("utf8")) as Vocabulary);
  const table = new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length);
  const weightOf = {
    query: readFloats(weights, 0, pieces),
    cell: readFloats(weights, pieces, pieces),
  } satisfies Record<EmbedRole, Float64Array>;
  const counts = new Uint16Array(pieces);
  const sum = new Float64Array(dimensions);

  return {
    id: `celrec-${manifest.model}@${manifest.revision}/${dimensions}d/sum/clean-subwords-${MOST_WORDS}`,
    dimensions,
    async embed(texts, role, signal) {
      signal?.throwIfAborted();
      return texts.map((text) => embedText(text, role));
    },
    close: async () => {},
  };

  function embedText(text: string, role: EmbedRole): Float32Array | null {
    const found = countPieces(text);
    if (found.length === 0) return null;
    sum.fill(0);
    for (const piece of found) {
      const weight = (1 + Math.log(counts[piece]!)) * weightOf[role][piece]!;
      const row = piece * dimensions;
      for (let at = 0; at < dimensions; at += 1) sum[at]! += weight * table[row + at]!;
      counts[piece] = 0;
    }
    return toUnitLength(sum);
  }

  /** The distinct pieces of a text; how often each occurs is left in `counts`. */
  function countPieces(text: string): number[] {
    const found: number[] = [];
    const words = subwords(text.slice(0, MOST_CHARACTERS));
    for (let at = 0; at < words.length && at < MOST_WORDS; at += 1) {
      for (const piece of encode(words[at]!)) {
        if (counts[piece] === 0) found.push(piece);
        counts[piece]! += 1;
      }
    }
    return found;
  }
}

/** Little-endian on every machine, and copied, because a Buffer may start anywhere. */
function readFloats(content: Buffer, from: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, at) => content.readFloatLE((from + at) * 4));
}
