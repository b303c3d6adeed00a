import { GRAPH, loadUsearch, type UsearchIndex } from "../../src/store/embedded/usearch.js";

/** A bare usearch index with our settings. */
export function createBareIndex(vectors: readonly Float32Array[]): UsearchIndex {
  const dimensions = vectors[0]!.length;
  const index = new (loadUsearch()!.Index)({ dimensions, ...GRAPH });
  const slice = 512;
  for (let from = 0; from < vectors.length; from += slice) {
    const part = vectors.slice(from, from + slice);
    const data = new Float32Array(part.length * dimensions);
    for (const [at, vector] of part.entries()) data.set(vector, at * dimensions);
    index.add(
      BigUint64Array.from(part, (_, at) => BigInt(from + at)),
      data,
      0,
    );
  }
  return index;
}
