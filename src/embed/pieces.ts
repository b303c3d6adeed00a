import { LRUCache } from "lru-cache";
import { z } from "zod";
import { subwords } from "../python/subwords.js";
import { type Embedder, type EmbedRole, toUnitLength } from "./embedder.js";
import { manifestSchema, readManifest, readModelFile } from "./model-files.js";

/** Maximum characters and words that are read; the rest is probably pasted data. */
const MAX_CHARACTERS = 30_000;
const MAX_WORDS = 1500;

const piecesManifest = manifestSchema.extend({ dimensions: z.int().positive(), pieces: z.int().positive() });

/**
 * The default embedder. The vector of a text is the normalised sum, over its distinct pieces, of (1 + log count) x
 * weight x vector. Piece vectors are bytes whose scale is included in the weights; queries and cells have different
 * weights.
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
    id: `celrec-${manifest.model}@${manifest.revision}/${dimensions}d/sum/clean-subwords-${MAX_WORDS}`,
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

  /** The distinct pieces of a text, with their numbers in `counts`. */
  function countPieces(text: string): number[] {
    const found: number[] = [];
    const words = subwords(text.slice(0, MAX_CHARACTERS));
    for (let at = 0; at < words.length && at < MAX_WORDS; at += 1) {
      for (const piece of encode(words[at]!)) {
        if (counts[piece] === 0) found.push(piece);
        counts[piece]! += 1;
      }
    }
    return found;
  }
}

/** Reads little-endian numbers on every machine. Copies, because a Buffer may not be aligned. */
function readFloats(content: Buffer, from: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, at) => content.readFloatLE((from + at) * 4));
}

/** `letters[0]` stands for every unknown letter. Merge i makes piece `letters.length + i` of two earlier pieces. */
interface Vocabulary {
  readonly letters: readonly string[];
  readonly merges: readonly (readonly [number, number])[];
}

/** Marks the first letter of a word, so that the word `in` differs from the end of `margin`. */
const WORD_START = "\u2581";
/** Maximum letters of a word; longer words are data, and merging takes quadratic time. */
const MAX_LETTERS = 64;
/** Maximum length of a cached word; longer words rarely repeat. */
const MAX_CACHED_LENGTH = 64;
/** Size of the LRU cache of words: some ten megabytes. */
const MAX_CACHED_WORDS = 60_000;

/**
 * Splits a subword into the numbers of its pieces. Applies merges in the order of learning; for equal ones, the
 * leftmost first.
 */
function createPieceEncoder({ letters, merges }: Vocabulary): (word: string) => readonly number[] {
  const size = letters.length + merges.length;
  const numbers = new Map(letters.map((letter, number) => [letter, number]));
  const ranks = new Map(merges.map(([left, right], rank) => [left * size + right, rank]));
  const known = new LRUCache<string, readonly number[]>({ max: MAX_CACHED_WORDS });

  return (word) => {
    const found = known.get(word);
    if (found !== undefined) return found;
    const pieces = merge(spell(word));
    if (word.length <= MAX_CACHED_LENGTH) known.set(word, pieces);
    return pieces;
  };

  function spell(word: string): number[] {
    const spelled: number[] = [];
    for (const letter of word) {
      spelled.push(numbers.get(spelled.length === 0 ? WORD_START + letter : letter) ?? 0);
      if (spelled.length === MAX_LETTERS) break;
    }
    return spelled;
  }

  function merge(pieces: number[]): number[] {
    for (;;) {
      let best = Number.POSITIVE_INFINITY;
      for (let at = 1; at < pieces.length; at += 1) {
        best = Math.min(best, ranks.get(pieces[at - 1]! * size + pieces[at]!) ?? best);
      }
      if (best === Number.POSITIVE_INFINITY) return pieces;
      pieces = join(pieces, merges[best]!, letters.length + best);
    }
  }
}

function join(pieces: readonly number[], [left, right]: readonly [number, number], joined: number): number[] {
  const result: number[] = [];
  for (let at = 0; at < pieces.length; at += 1) {
    if (pieces[at] === left && pieces[at + 1] === right) {
      result.push(joined);
      at += 1;
    } else result.push(pieces[at]!);
  }
  return result;
}
