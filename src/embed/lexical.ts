import { subwords } from "../python/subwords.js";
import { type Embedder, toUnitLength } from "./embedder.js";

const DIMENSIONS = 512;
/**
 * Punctuation has a low weight, because every cell contains it. Character trigrams (`part`) connect `train` and
 * `training`.
 */
const WEIGHT = { word: 1, punctuation: 0.15, part: 0.4 } as const;
const PART_LENGTH = 3;

/** Hashed subwords and character trigrams: no model, no download, the same on every machine. */
export function createLexicalEmbedder(): Embedder {
  return {
    id: `lexical-1-${DIMENSIONS}`,
    dimensions: DIMENSIONS,
    async embed(texts, _role, signal) {
      signal?.throwIfAborted();
      return texts.map(embedText);
    },
    close: async () => {},
  };
}

function embedText(text: string): Float32Array | null {
  const words = subwords(text);
  if (words.length === 0) return null;
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, weight] of weighFeatures(words)) {
    const hash = fnv1a(feature);
    vector[hash % DIMENSIONS]! += hash & 0x8000_0000 ? -weight : weight;
  }
  // Hashed features can cancel out; a zero vector counts as no vector.
  return toUnitLength(vector);
}

/** Each feature with its weight, damped by the logarithm of its count. */
function weighFeatures(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weights = new Map<string, number>();
  for (const [word, count] of counts) {
    const damped = 1 + Math.log(count);
    weights.set(word, damped * (/^[\p{L}\p{Nd}]/u.test(word) ? WEIGHT.word : WEIGHT.punctuation));
    const padded = `<${word}>`;
    for (let at = 0; word.length > PART_LENGTH && at + PART_LENGTH <= padded.length; at += 1) {
      const part = `#${padded.slice(at, at + PART_LENGTH)}`;
      weights.set(part, (weights.get(part) ?? 0) + damped * WEIGHT.part);
    }
  }
  return weights;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The low bits of FNV-1a are its weakest; fold the high ones in.
  return (hash ^ (hash >>> 15)) >>> 0;
}
