import type { Feature } from "./feature.js";

/** BM25 over subwords, relative to the best candidate. */
export const bm25: Feature = { name: "bm25", sign: 1, relative: true, value: ({ overlap }) => overlap.bm25.code };
